import type { Form } from '../../test/support/product.ts';
import { databaseSide, ownDatabase } from '../baselines/database-side.ts';
import type { Bench } from '../bench.ts';
import type { Goal, Measure, Sample, Side } from '../comparison.ts';
import type { BookingsRecipe } from '../load/recipes.ts';
import { createSide, echoSide, loadSide } from '../side.ts';
import type { HotKind } from '../site.ts';

/** What pretix 2026 created of orders on a machine of two cores, 16 clients: 8 to 16 a second; the better figure */
const PRETIX = 16;

const HOT: Record<HotKind, string> = {
	refusing: 'of 100 places, all answers',
	accepting: 'of 1,000 places, with room for all',
	'half full': 'of 10,000 places, half full',
	'nearly full': 'of 10,000 places, nine in ten taken',
};

const hot = (form: Form, kind: HotKind): Measure => ({
	name: `hot-${kind.replace(' ', '-')}`,
	form,
	title: `create on one hot slot ${HOT[kind]} / on spread slots`,
	unit: '/s',
	goal: { atLeast: 0.8 },
	async prepare(bench) {
		const site = kind.endsWith('full') ? await bench.crowdedSite(form) : await bench.site(form);
		return {
			ours: createSide(bench, site, { name: 'one slot and date', recipe: () => site.hot(kind), expect: [201, 400] }),
			baseline: createSide(bench, site, { name: 'spread slots', recipe: site.spread }),
		};
	},
});

type Keeps = Parameters<Bench['anchor']>[0];

/** Beside a bare server with the same guarantees: by rate, or by what a create costs. */
const anchored = (keeps: Keeps, goal: Goal, by: 'rate' | 'CPU'): Measure => ({
	name: `create-anchor-${keeps}${by === 'CPU' ? '-cpu' : ''}`,
	form: 'embedded',
	title: `create on 7,000 occurrences / a bare server that keeps ${keeps === 'booking' ? 'the booking alone' : 'as much'}${by === 'CPU' ? ': CPU time' : ''}`,
	unit: '/s',
	goal,
	...(by === 'CPU' ? { ratio: (ours: Sample, baseline: Sample) => ours.cpu! / baseline.cpu! } : {}),
	async prepare(bench) {
		const site = await bench.site('embedded');
		const { url, pids } = await bench.anchor(keeps);
		const recipe = () => site.spread('wide');
		const baseline = loadSide(bench, {
			...{ name: `bare server, ${keeps}`, url, pids, recipe, expect: [201] },
			after: (what, { answered }) => site.used(what as BookingsRecipe, answered + bench.options.clients),
		});
		return { ours: createSide(bench, site, { name: 'create', recipe }), baseline };
	},
});

export const creates: Measure[] = [
	anchored('everything', { atLeast: 0.33 }, 'rate'),
	anchored('everything', { atMost: 3.55 }, 'CPU'),
	anchored('booking', { atLeast: 0.25 }, 'rate'),
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
	hot('embedded', 'half full'),
	hot('embedded', 'nearly full'),
	hot('cluster', 'refusing'),
	hot('cluster', 'accepting'),
	hot('cluster', 'half full'),
	hot('cluster', 'nearly full'),
];
