import type { Form } from '../../test/support/product.ts';
import { databaseSide } from '../baselines/database-side.ts';
import type { EchoName } from '../baselines/start-echo.ts';
import type { Bench } from '../bench.ts';
import type { Measure } from '../comparison.ts';
import { requests } from '../requests.ts';
import { echoSide, readSide } from '../side.ts';
import type { Site } from '../site.ts';

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

/** Without a goal, for no echo does the like: `bench:checkouts` compares it with another version's. */
const availability = (name: string, title: string, siteOf: (bench: Bench) => Promise<Site>): Measure => ({
	name,
	form: 'embedded',
	title: `${title} / bare echo`,
	unit: '/s',
	async prepare(bench) {
		const [site, echo] = [await siteOf(bench), await bench.echo('embedded')];
		return { ours: readSide(bench, site, title, requests.availability(site)), baseline: echoSide(bench, echo, 'list') };
	},
});

export const reads: Measure[] = [
	againstEcho('embedded', 'service', 0.5),
	againstEcho('embedded', 'booking', 0.5),
	againstEcho('embedded', 'list', 0.35),
	availability('read-availability', 'availability of 92 days and 50 slots', (bench) => bench.site('embedded')),
	availability('read-calendar', 'the same with overrides and rules', (bench) => bench.calendarSite('embedded')),
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
