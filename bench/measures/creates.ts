import type { Form } from '../../test/support/product.ts';
import { databaseSide, ownDatabase } from '../baselines/database-side.ts';
import type { Measure, Side } from '../comparison.ts';
import type { BookingsRecipe } from '../load/recipes.ts';
import { createSide, echoSide } from '../side.ts';
import type { HotKind } from '../site.ts';

/** What pretix 2026 created of orders on a machine of two cores, 16 clients: 8 to 16 a second; the better figure */
const PRETIX = 16;

const hot = (form: Form, kind: HotKind): Measure => ({
	name: `hot-${kind}`,
	form,
	title: `create on one hot slot ${kind === 'refusing' ? 'of 100 places, all answers' : 'with room for all'} / on spread slots`,
	unit: '/s',
	goal: { atLeast: 0.8 },
	async prepare(bench) {
		const site = await bench.site(form);
		return {
			ours: createSide(bench, site, { name: 'one slot and date', recipe: () => site.hot(kind), expect: [201, 400] }),
			baseline: createSide(bench, site, { name: 'spread slots', recipe: site.spread }),
		};
	},
});

export const creates: Measure[] = [
	{
		name: 'create',
		form: 'embedded',
		title: 'create on spread slots / bare echo POST',
		unit: '/s',
		goal: { atLeast: 0.35 },
		async prepare(bench) {
			const site = await bench.site('embedded');
			const sameBody: BookingsRecipe = { ...site.spread(), path: '/echo/booking' };
			return {
				ours: createSide(bench, site, { name: 'create', recipe: site.spread }),
				baseline: echoSide(bench, await bench.echo('embedded'), 'booking', sameBody),
			};
		},
	},
	{
		name: 'create',
		form: 'cluster',
		title: 'create on spread slots, relay running / the database’s own insertOne',
		unit: '/s',
		goal: { atLeast: 0.6 },
		async prepare(bench) {
			const site = await bench.site('cluster');
			const own = await ownDatabase(bench, site.product.mongoUrl!);
			return {
				ours: createSide(bench, site, { name: 'create', recipe: site.spread }),
				baseline: await databaseSide(bench, own, 'insertOne by the driver', { kind: 'insert' }),
			};
		},
	},
	{
		name: 'create-pretix',
		form: 'embedded',
		title: 'create, 16 clients / pretix 2026’s orders, 16 clients',
		unit: '/s',
		goal: { atLeast: 100 },
		async prepare(bench) {
			const site = await bench.site('embedded');
			const baseline: Side = { name: 'pretix, as measured once', measure: async () => ({ value: PRETIX }) };
			return { ours: createSide(bench, site, { name: 'create', recipe: site.spread, clients: 16 }), baseline };
		},
	},
	hot('embedded', 'refusing'),
	hot('embedded', 'accepting'),
	hot('cluster', 'refusing'),
	hot('cluster', 'accepting'),
];
