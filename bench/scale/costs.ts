import { readFileSync } from 'node:fs';

/** Kinds of requests whose cost is measured. A change costs its event, its delivery to the feed and the directory, too. */
export const KINDS = [
	...(['create', 'create one at a time', 'create hot', 'create, several processes'] as const),
	...([
		'get',
		'get, nothing there',
		'get, unknown key',
		'get with a rate',
		'list',
		'availability',
		'confirm',
		'cancel',
		'delete',
		'delivery',
	] as const),
];
export type Kind = (typeof KINDS)[number];

/** What one request costs on average: by counter (see `Reading`), what idle processes do in that time taken off. */
export interface Cost {
	requests: number;
	clients: number;
	per: Record<string, number>;
}

/** A critical section by how much it carried: leases, what each carried on average, for how long each was held (ms). */
export interface Hold {
	clients: number;
	size: number;
	ms: number;
}

export interface Costs {
	measured: { at: string; machine: string; cores: number; load: number; database: string; node: string };
	/** A second of the whole product doing nothing, by counter */
	idle: { processes: number; per: Record<string, number> };
	kinds: Record<Kind, Cost>;
	/** Booking's batches of one slot and date; batches of one account's events */
	holds: { place: Hold[]; events: Hold[] };
	/** See `Ceilings` */
	ceilings: { increments: Record<string, number>; inserted: number; found: number };
	/** BSON bytes of one document, indexes aside */
	bytes: Record<'booking' | 'event' | 'delivery' | 'customer', number>;
}

export function readCosts(): Costs {
	return JSON.parse(readFileSync(new URL('costs.json', import.meta.url), 'utf8')) as Costs;
}

/** The sum of all counters that begin with `prefix` and, where given, end with `suffix`. */
export function sumOf(per: Record<string, number>, prefix: string, suffix = ''): number {
	return Object.entries(per)
		.filter(([name]) => name.startsWith(prefix) && name.endsWith(suffix))
		.reduce((sum, [, value]) => sum + value, 0);
}
