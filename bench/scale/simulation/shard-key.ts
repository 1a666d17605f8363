import { hash } from './random.ts';
import type { Ranges } from './ranges.ts';

/** What a statement knows of the bookings that it is about. A filter that lacks a field leaves it out. */
export interface Known {
	account?: number;
	service?: number;
	slot?: number;
	date?: number;
	booking?: number;
}

export type Place = Required<Known>;

/** A shard key of the collection of bookings, in the order of its fields. */
export interface ShardKey {
	name: string;
	fields: readonly (keyof Known)[];
	/**
	 * Whether each shard holds ranges of the key, so that an account stays whole until it is large; else each value goes
	 * where its hash says.
	 */
	ranged?: boolean;
}

const COMPOUND = ['account', 'service', 'slot'] as const;

export const SHARD_KEYS: readonly ShardKey[] = [
	{ name: 'account_id', fields: ['account'], ranged: true },
	{ name: 'account_id, service_id, time_slot_id, hashed as a whole', fields: COMPOUND },
	{ name: 'account_id, service_id, time_slot_id, by range', fields: COMPOUND, ranged: true },
	{ name: 'place, hashed', fields: ['slot', 'date'] },
	{ name: '_id, hashed', fields: ['booking'] },
];

/** Services of a large account, slots of a service. Numbers of slots are in the order of the compound key. */
export const SERVICES = 20;
export const SLOTS = 10;

/** Finds the shards of a statement, as a mongos does. */
export class Router {
	readonly #key: ShardKey;
	readonly #shards: number;
	readonly #ranges: Ranges;
	/** Shards of accounts and services that were asked for before, by the number of either and how much was named */
	readonly #known = new Map<string, number[]>();

	/** @param ranges where the key is ranged */
	constructor(key: ShardKey, shards: number, ranges: Ranges) {
		this.#key = key;
		this.#shards = shards;
		this.#ranges = ranges;
	}

	/** The shard that keeps a booking. */
	home(booking: Place): number {
		if (!this.#key.ranged) return hash(...this.#key.fields.map((field) => booking[field])) % this.#shards;
		const position = this.#key.fields.length === 1 ? 0 : booking.slot % (SERVICES * SLOTS);
		return this.#ranges.shardOf(booking.account, position / (SERVICES * SLOTS));
	}

	/**
	 * The shards that are asked: one where the statement names the whole key; those of the account, or of its service, where it
	 * names a prefix of it; all where it does not name its first field.
	 * @param parts a booking of each slot of the account
	 */
	targets(known: Known, parts: () => Iterable<Place>): number[] {
		const missing = this.#key.fields.findIndex((field) => known[field] === undefined);
		if (missing === -1) return [this.home(known as Place)];
		if (missing === 0) return Array.from({ length: this.#shards }, (_, shard) => shard);
		const named = this.#key.fields.slice(0, missing);
		const name = named.map((field) => known[field]).join(' ');
		const before = this.#known.get(name);
		if (before !== undefined) return before;
		const asked = new Set<number>();
		for (const part of parts()) {
			if (named.every((field) => part[field] === known[field])) asked.add(this.home(part));
		}
		this.#known.set(name, [...asked]);
		return [...asked];
	}
}
