import { type Occupant, occurrenceName } from '../../../services/booking/document/keys.ts';
import { openSeats } from '../../../services/booking/seats/capacity.ts';
import { type Claimant, type Decision, decideBatch } from '../../../services/booking/seats/decide-batch.ts';
import { expiredInTheWay, openingsOf } from '../../../services/booking/seats/openings.ts';
import { catalogue } from '../../../shared/contract/errors.ts';
import type { TimeSlot } from '../../../shared/contract/schemas/time-slot.ts';
import type { Random } from '../random.ts';
import type { Scheduler, Work } from './scheduler.ts';
import { expire, type ModelStore, NOW } from './store.ts';

/** An error that the API answers. */
export class Refusal extends Error {
	readonly status: number;

	constructor(status: number, text: string) {
		super(text);
		this.status = status;
	}
}

/** What wants a place: as in services/booking/seats/seat-queue.ts. */
export interface Claim extends Claimant {
	time_slot_id: number;
	date: string;
	write(seat: number, slot: TimeSlot): Work<'written' | 'stale' | 'duplicate key'>;
	outcome?: 'written' | 'stale' | Error;
}

/** Rules that are wrong on purpose, to see that the model finds what comes of them. */
export interface Planted {
	/** Any free seat below the maximum, in place of the first ones */
	anyFreeSeat?: boolean;
	/** A creator looks for its service's closure before its insert, in place of after it */
	markBeforeInsert?: boolean;
	/** The relay empties an outbox without comparing versions */
	clearWithoutVersion?: boolean;
	/** The relay empties an outbox before it has told the customers' directory */
	clearBeforeRecord?: boolean;
	/** The relay tells of a place's taking whether or not its giving up was told */
	tellTakersFirst?: boolean;
	/** A claim cancels a hold that has ended whatever its version is now */
	expireBlindly?: boolean;
	/** A creator that undoes its booking, for its service was deleted, frees its Idempotency-Key */
	undoFreesKey?: boolean;
}

/** The queues of one process, one a slot and date, always without the lock. */
export class ModelPlaces {
	readonly #process: number;
	readonly #store: ModelStore;
	readonly #scheduler: Scheduler;
	readonly #random: Random;
	readonly #planted: Planted;
	readonly #queues = new Map<string, Claim[]>();

	constructor(process: number, store: ModelStore, scheduler: Scheduler, random: Random, planted: Planted) {
		this.#process = process;
		this.#store = store;
		this.#scheduler = scheduler;
		this.#random = random;
		this.#planted = planted;
	}

	/** @throws what refuses the claim */
	*claim(claim: Claim): Work<'written' | 'stale'> {
		const place = occurrenceName(claim.time_slot_id, claim.date);
		const queue = this.#queues.get(place);
		if (queue) queue.push(claim);
		else {
			this.#queues.set(place, [claim]);
			this.#scheduler.spawn(this.#process, this.#drain(place));
		}
		while (claim.outcome === undefined) yield;
		if (claim.outcome instanceof Error) throw claim.outcome;
		return claim.outcome;
	}

	*#drain(place: string): Work {
		for (let queue = this.#queues.get(place)!; queue.length > 0; ) {
			yield;
			let open = queue.splice(0);
			while (open.length > 0) open = yield* this.#round(place, open);
		}
		this.#queues.delete(place);
	}

	*#round(place: string, open: Claim[]): Work<Claim[]> {
		let slot: TimeSlot | undefined;
		let occupants: Occupant[] = [];
		for (const read of this.#random.shuffled(['slot', 'occupants'] as const)) {
			yield;
			if (read === 'slot') slot = this.#store.slot(open[0]!.time_slot_id);
			else occupants = this.#store.occupants(place);
		}
		if (slot === undefined) {
			for (const claim of open) claim.outcome = new Refusal(404, 'time slot not found');
			return [];
		}
		const openings = openingsOf(slot.max_bookings, occupants);
		const expired = expiredInTheWay(open, slot.max_bookings, openings, NOW);
		for (const id of expired) {
			yield;
			const found = this.#store.find(id);
			yield;
			if (found === undefined) continue;
			const { version } = (this.#planted.expireBlindly && this.#store.find(id)) || found;
			expire(this.#store, { ...found, version });
		}
		if (expired.length > 0) return open;
		const decisions = this.#redraw(decideBatch(open, slot.max_bookings, openings), slot.max_bookings, occupants);
		const results = yield* this.#write(open, decisions, slot);
		return complete(open, decisions, results);
	}

	/** The same decisions with seats that the seed decides. */
	#redraw(decisions: Decision[], max: number, occupants: Occupant[]): Decision[] {
		const taken = new Set(occupants.map(({ seat }) => seat));
		const free = Array.from({ length: max }, (_, seat) => seat).filter((seat) => !taken.has(seat));
		const open = this.#planted.anyFreeSeat ? free : openSeats(max, occupants);
		const seats = this.#random.shuffled(open);
		return decisions.map((decision) => (decision.kind === 'seat' ? { kind: 'seat', seat: seats.pop()! } : decision));
	}

	/** All at once, in any order. */
	*#write(claims: Claim[], decisions: Decision[], slot: TimeSlot): Work<Result[]> {
		const results: (Result | undefined)[] = claims.map(() => undefined);
		for (const [index, claim] of claims.entries()) {
			const decision = decisions[index]!;
			if (decision.kind !== 'seat') results[index] = decision.kind;
			else
				this.#scheduler.spawn(
					this.#process,
					writeOne(claim, decision.seat, slot, (result) => {
						results[index] = result;
					}),
				);
		}
		while (results.includes(undefined)) yield;
		return results as Result[];
	}
}

type Result = 'written' | 'stale' | 'duplicate key' | 'refused' | Error;

function* writeOne(claim: Claim, seat: number, slot: TimeSlot, done: (result: Result) => void): Work {
	try {
		done(yield* claim.write(seat, slot));
	} catch (error) {
		done(error as Error);
	}
}

/** As in services/booking/seats/seat-queue.ts: a refusal that rests on a write which failed is decided again. */
function complete(claims: Claim[], decisions: Decision[], results: Result[]): Claim[] {
	return claims.filter((claim, index) => {
		const [result, decision] = [results[index]!, decisions[index]!];
		if (result instanceof Error || result === 'written' || result === 'stale') claim.outcome = result;
		else if (decision.kind === 'refused' && decision.restsOn.every((other) => results[other] === 'written')) {
			const text = catalogue[decision.error].text;
			claim.outcome = new Refusal(400, text);
		}
		return claim.outcome === undefined;
	});
}
