import { Random } from './random.ts';
import { Ranges } from './ranges.ts';
import { type Place, Router, type ShardKey } from './shard-key.ts';

/** What two bookings share that must not both get in. A slot is of one service, and that of one account. */
export const RACES = {
	'one seat': ['account', 'service', 'slot', 'date'],
	'one customer': ['account', 'service', 'slot', 'date'],
	'one key, same request': ['account', 'service', 'slot', 'date'],
	'one key, another request': ['account'],
} as const satisfies Record<string, readonly (keyof Place)[]>;
export type Race = keyof typeof RACES;

/**
 * Two requests want the same thing at the same moment, and no lock puts them in line. A unique index refuses the second
 * only on the shard that has the first.
 * @returns how many of `races` let both in
 */
export function lostRaces(key: ShardKey, race: Race, { shards = 12, races = 1_000, seed = 1 } = {}): number {
	const random = new Random(seed);
	// Large accounts, each of which is on as many shards as its key allows.
	const router = new Router(key, shards, new Ranges(shards, () => 1, key.fields.length > 1));
	let lost = 0;
	for (let n = 0; n < races; n++) {
		const first = anyBooking(random);
		const second = anyBooking(random);
		for (const field of RACES[race]) second[field] = first[field];
		if (router.home(first) !== router.home(second)) lost++;
	}
	return lost;
}

function anyBooking(random: Random): Place {
	return {
		account: 1 + random.integer(500),
		service: random.integer(1e6),
		slot: random.integer(1e6),
		date: random.integer(1e3),
		booking: random.integer(1e9),
	};
}
