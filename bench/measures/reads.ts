import type { Form } from '../../test/support/product.ts';
import { databaseSide } from '../baselines/database-side.ts';
import type { EchoName } from '../baselines/start-echo.ts';
import type { Measure } from '../comparison.ts';
import type { Recipe } from '../load/recipes.ts';
import { echoSide, readSide } from '../side.ts';
import type { Site } from '../site.ts';

export const requests = {
	service: ({ service }: Site): Recipe => ({ kind: 'same', method: 'GET', path: `/v1/services/${service}` }),
	booking: ({ first, bookings }: Site): Recipe => ({ kind: 'ids', path: '/v1/bookings/', first, count: bookings }),
	list: ({ service }: Site): Recipe => ({
		kind: 'same',
		method: 'GET',
		path: `/v1/bookings?service_id=${service}&page=1&page_size=20`,
	}),
	availability: ({ service }: Site): Recipe => ({
		kind: 'same',
		method: 'GET',
		path: `/v1/services/${service}/availability?from=2027-01-04&to=2027-04-05`,
	}),
};

const titles: Record<EchoName, string> = {
	service: 'GET service',
	booking: 'GET booking',
	list: 'list of 20 bookings',
};

const againstEcho = (form: Form, what: EchoName, atLeast: number): Measure => ({
	name: `read-${what}`,
	form,
	title: `${titles[what]} / bare echo${form === 'cluster' ? ' over NATS' : ''}`,
	unit: '/s',
	goal: { atLeast },
	async prepare(bench) {
		const site = await bench.site(form);
		const echo = await bench.echo(form);
		return { ours: readSide(bench, site, titles[what], requests[what](site)), baseline: echoSide(bench, echo, what) };
	},
});

export const reads: Measure[] = [
	againstEcho('embedded', 'service', 0.5),
	againstEcho('embedded', 'booking', 0.5),
	againstEcho('embedded', 'list', 0.35),
	againstEcho('cluster', 'booking', 0.3),
	{
		name: 'read-list',
		form: 'cluster',
		title: 'list of 20 bookings / the database’s own same find',
		unit: '/s',
		goal: { atLeast: 0.5 },
		async prepare(bench) {
			const site = await bench.site('cluster');
			const page = { kind: 'page', account_id: site.account, service_id: site.service, page_size: 20 } as const;
			const baseline = await databaseSide(bench, site.product.mongoUrl!, 'find, sort and limit by the driver', page);
			return { ours: readSide(bench, site, titles.list, requests.list(site)), baseline };
		},
	},
];
