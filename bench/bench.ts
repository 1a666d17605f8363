import { Client } from '../test/support/http-client.ts';
import type { Form } from '../test/support/product.ts';
import { overrideDates } from '../test/support/scheduling.ts';
import { type Echo, startEcho } from './baselines/start-echo.ts';
import { Forked } from './forked.ts';
import { LoadGenerator } from './load/load-generator.ts';
import type { Options } from './options.ts';
import { requests } from './requests.ts';
import { type Site, startSite } from './site.ts';

const ANCHOR = new URL('baselines/anchor.ts', import.meta.url);

export interface Anchor {
	url: string;
	pids: number[];
	stop(): Promise<void>;
}

/** Bookings of the small store. */
export const SMALL = 1_000;

/** Within the days that an availability is asked for: a closed week, one with more places, and five with fewer */
const OVERRIDES = [
	{ date_from: '2027-01-11', date_to: '2027-01-17', max_bookings: 0 },
	{ date_from: '2027-02-01', date_to: '2027-02-07', max_bookings: 20 },
	{ date_from: '2027-03-01', date_to: '2027-04-05', max_bookings: 5 },
];
const RULES = { rules: { min_notice_minutes: 60, max_advance_days: 400 } };

/** What the measures of a run share. Everything is started when it is first asked for, and ends with `stop()`. */
export class Bench {
	readonly options: Options;
	readonly generator = new LoadGenerator();
	readonly #parts = new Map<string, Promise<{ stop(): Promise<unknown> }>>();

	constructor(options: Options) {
		this.options = options;
	}

	/** The product with so many bookings. */
	site(form: Form, bookings = SMALL, bookingProcesses = 1): Promise<Site> {
		const { profile } = this.options;
		const env: Record<string, string> =
			profile === undefined ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profile}` };
		return this.part(`site ${form} ${bookings} ${bookingProcesses}`, async () => {
			const site = await startSite(form, bookings, { counts: { booking: bookingProcesses }, env });
			await this.#warmUp(site);
			return site;
		});
	}

	/**
	 * A process that has just started must not be compared with one that was compiled and optimised for minutes. Only
	 * reads: thousands of new bookings would make the small store another one, whose service has more of them to count.
	 */
	async #warmUp(site: Site): Promise<void> {
		const { clients, warmUp: seconds } = this.options;
		for (const recipe of [requests.booking(site), requests.service(site), requests.list(site)]) {
			await this.generator.closed({ url: site.url, key: site.key, recipe, clients, seconds });
		}
	}

	/** The echo that gives this site's answers; over the site's NATS in a cluster. */
	echo(form: Form): Promise<Echo> {
		return this.part(`echo ${form}`, async () => startEcho(await this.site(form)));
	}

	/** One with occurrences of 10,000 places, of which half or nine in ten are taken. So it is not the small one. */
	crowdedSite(form: Form): Promise<Site> {
		return this.part(`crowded site ${form}`, () => startSite(form, SMALL, { crowded: true }));
	}

	/** One whose service has overrides and rules. */
	calendarSite(form: Form): Promise<Site> {
		return this.part(`calendar site ${form}`, async () => {
			const site = await startSite(form, SMALL);
			const client = new Client(() => [site.url], site.key);
			for (const override of OVERRIDES) await overrideDates(client, site.service, override);
			(await client.patch(`/v1/services/${site.service}`, RULES)).mustBe(200);
			await this.#warmUp(site);
			return site;
		});
	}

	/** The bare server that keeps as much of a booking (`anchor.ts`). */
	anchor(keeps: 'booking' | 'everything'): Promise<Anchor> {
		return this.part(`anchor ${keeps}`, async () => {
			const server = new Forked<string, never, never>(ANCHOR, { ANCHOR: keeps });
			return { url: await server.ready, pids: [server.pid], stop: () => server.stop() };
		});
	}

	/** A part that several measures use. */
	part<T extends { stop(): Promise<unknown> }>(name: string, start: () => Promise<T>): Promise<T> {
		const known = this.#parts.get(name) as Promise<T> | undefined;
		if (known !== undefined) return known;
		const started = start();
		this.#parts.set(name, started);
		started.catch(() => this.#parts.delete(name)); // the next measure tries again
		return started;
	}

	/** Ends all parts but the generator, in reverse: a baseline may use a site's servers. */
	async stopParts(): Promise<void> {
		const parts = [...this.#parts.values()].reverse();
		this.#parts.clear();
		for (const part of parts) await (await part).stop();
	}

	async stop(): Promise<void> {
		await this.stopParts();
		await this.generator.stop();
	}
}
