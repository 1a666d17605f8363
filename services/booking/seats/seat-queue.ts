import { setTimeout as delay } from 'node:timers/promises';
import type { AccountKey } from '../../../shared/contract/account-key.ts';
import type { Scoped } from '../../../shared/contract/actions.ts';
import { ApiError } from '../../../shared/contract/errors.ts';
import type { TimeSlot } from '../../../shared/contract/schemas/time-slot.ts';
import { Gatherer } from '../../../shared/engine/gatherer.ts';
import { randomIndex } from '../../../shared/engine/ids.ts';
import type { FairLock, Lease } from '../../../shared/lock/fair-lock.ts';
import { inBatch, type Span, tracing, within } from '../../../shared/tracing/tracing.ts';
import { type Deadline, underDeadline, withoutDeadline } from '../../../shared/work/deadline.ts';
import { type Occupant, type Occurrence, occurrenceKey, placeOf } from '../document/capacity.ts';
import { type Claimant, type Decision, decideBatch } from './decide-batch.ts';

/** `taken`: a unique index refused the write. */
export type WriteOutcome = 'written' | 'taken';

/** A change that wants a place of one slot and date: a new booking, a move, an un-cancelling. */
export interface Claim extends Claimant, Occurrence {
	deadline: Deadline;
	/** A new booking counts against the month's quota; then the month in which it was counted, `YYYY-MM`. */
	quota: 'not needed' | 'needed' | 'used' | { month: string };
	/** @throws where the slot, as it is now, refuses the claim whatever its capacity */
	assertSlot(slot: TimeSlot | null): asserts slot is TimeSlot;
	/** Readies a claim that was given a seat for its write: a new booking takes its id. */
	prepare(): Promise<void>;
	/**
	 * One write of one document.
	 * @param lease before whose end the write is to end; undefined without the lock
	 * @throws where the claim is refused, or its outcome stays unknown
	 */
	write(seat: number, slot: TimeSlot, lease: Lease | undefined): Promise<WriteOutcome>;
	/** An earlier write went through after all. */
	landed(slot: TimeSlot): Promise<void>;
}

export interface PlaceSource {
	/** The slot as catalog has it now; null where it is gone. Never a copy. */
	slot(key: { account_id: string; time_slot_id: number }): Promise<TimeSlot | null>;
	/** Every booking that holds a place of the slot and date now. */
	occupants(key: { account_id: string; place: string }): Promise<Occupant[]>;
	/** Counts bookings against the account's month; fewer may be granted than asked for. */
	reserve(account_id: string, count: number): Promise<{ granted: number; month: string }>;
	release(account_id: string, count: number, month: string): void;
}

interface Queued {
	claim: Claim;
	/** Of the request that waits */
	span: Span | undefined;
	resolve: () => void;
	reject: (error: unknown) => void;
}

/** Claims on one account's slot and date, in order of arrival. */
interface Queue {
	readonly key: AccountKey;
	readonly occurrence: Occurrence;
	readonly waiting: Queued[];
}

/** A round that is ready to set out. */
interface Round extends Scoped {
	begin: () => Promise<void>;
}

const MAX_BATCH = 250;
/** ms that a group is waited for: a round whose write got no answer goes on alone, and holds up no other place */
const GROUP_LASTS = 250;

/**
 * The queue of each account's slot and date. Everything queued in this process is served as one batch under the lock, in
 * order of arrival. Whoever names another account's slot has a queue of his own there, and finds no slot (ADR 22). The lock gives order and speed only: without it the same batch runs, contenders are then other processes, and
 * a unique index that refuses a seat means: read again, decide again.
 *
 * The rounds of places that are ready at the same time set out together, so that their reads and writes share statements;
 * two such groups are under way at most, for the fewer they are, the more each statement serves.
 */
export class PlaceQueue {
	readonly #queues = new Map<AccountKey, Queue>();
	readonly #lock: FairLock;
	readonly #source: PlaceSource;
	readonly #groups = new Gatherer<Round, void>(async (rounds) => {
		const ended = Promise.all(rounds.map(({ begin }) => begin()));
		await Promise.race([ended, delay(GROUP_LASTS, undefined, { ref: false })]);
		return rounds.map(() => undefined);
	});

	constructor(lock: FairLock, source: PlaceSource) {
		this.#lock = lock;
		this.#source = source;
	}

	/**
	 * Resolves once the claim's write is durable.
	 * @throws duplicate_booking, time_slot_full, rate_limit_exceeded, service_unavailable at the deadline, and whatever
	 *   the claim itself throws
	 */
	claim(claim: Claim): Promise<void> {
		return new Promise((resolve, reject) => {
			const { account_id, time_slot_id, date } = claim;
			const key = occurrenceKey(claim);
			const queued = { claim, span: tracing?.current(), resolve, reject };
			const queue = this.#queues.get(key);
			if (queue !== undefined) {
				queue.waiting.push(queued);
			} else {
				const begun = { key, occurrence: { account_id, time_slot_id, date }, waiting: [queued] };
				this.#queues.set(key, begun);
				void withoutDeadline(() => this.#drain(begun)); // each claim is written under its own
			}
		});
	}

	/** Claims that wait for their batch, of one slot and date or of all. */
	waiting(occurrence?: Occurrence): number {
		if (occurrence !== undefined) return this.#queues.get(occurrenceKey(occurrence))?.waiting.length ?? 0;
		return this.#queues.values().reduce((sum, { waiting }) => sum + waiting.length, 0);
	}

	async #drain({ key, occurrence, waiting }: Queue): Promise<void> {
		while (waiting.length > 0) {
			const lease = await within(waiting[0]?.span, () => this.#lock.acquire(key));
			const batch = waiting.splice(0, MAX_BATCH); // closed: whoever comes now is of the next batch
			await inBatch(
				'claim places',
				() => batch.map(({ span }) => span),
				() => this.#serve(occurrence, batch, lease),
			);
			await lease?.release();
		}
		this.#queues.delete(key);
	}

	/** Rounds of reading, deciding and writing, until each claim of the batch has its answer. */
	async #serve(occurrence: Occurrence, batch: Queued[], lease: Lease | undefined): Promise<void> {
		let open = batch;
		try {
			for (let round = 1; open.length > 0; round++) {
				if (round > 1) await delay(randomIndex(4 * round)); // what a unique index refused may not be visible yet
				open = await this.#inGroup(occurrence, () => this.#round(occurrence, refuseLate(open), lease));
			}
		} catch (error) {
			for (const { reject } of open) reject(error);
		}
		this.#giveBack(occurrence, batch);
	}

	/** Has a round set out with those of other places. Its end and its failure are its own. */
	#inGroup({ account_id }: Occurrence, round: () => Promise<Queued[]>): Promise<Queued[]> {
		return new Promise((resolve, reject) => {
			void this.#groups.ask({ account_id, begin: () => round().then(resolve, reject) });
		});
	}

	/**
	 * One round. What was given a seat is written all at once.
	 * @returns the claims that must be decided again, in order of arrival
	 */
	async #round(occurrence: Occurrence, open: Queued[], lease: Lease | undefined): Promise<Queued[]> {
		if (open.length === 0) return [];
		const { account_id, time_slot_id, date } = occurrence;
		// The maximum and the active bookings are both read now, after the batch is closed; no copy decides anything.
		const [slot, occupants] = await Promise.all([
			this.#source.slot({ account_id, time_slot_id }),
			this.#source.occupants({ account_id, place: placeOf(time_slot_id, date) }),
		]);
		const admitted = admit(open, slot);
		if (slot === null || admitted.length === 0) return [];
		const claims = admitted.map(({ claim }) => claim);
		const decisions = decideBatch(claims, slot.max_bookings, occupants);
		const seated = claims.filter((_, index) => decisions[index]?.kind === 'seat');
		const prepared = Promise.all(seated.map((claim) => claim.prepare()));
		prepared.catch(() => {}); // thrown below; what is reserved must be known first, or it is not given back
		await this.#reserve(account_id, seated);
		await prepared;
		const results = await Promise.all(
			admitted.map(({ claim, span }, index) => within(span, () => write(claim, decisions[index]!, slot, lease))),
		);
		return settle(admitted, decisions, results);
	}

	/** The month's quota, reserved before the write; those who came last go without where it does not suffice. */
	async #reserve(account_id: string, claims: Claim[]): Promise<void> {
		const needing = claims.filter((claim) => claim.quota === 'needed');
		if (needing.length === 0) return;
		const { granted, month } = await this.#source.reserve(account_id, needing.length);
		for (const claim of needing.slice(0, granted)) claim.quota = { month };
	}

	/** Bookings that were counted and are known not to have been made. */
	#giveBack({ account_id }: Occurrence, batch: Queued[]): void {
		const unused = new Map<string, number>();
		for (const { claim } of batch) {
			if (typeof claim.quota === 'object') unused.set(claim.quota.month, (unused.get(claim.quota.month) ?? 0) + 1);
		}
		for (const [month, count] of unused) this.#source.release(account_id, count, month);
	}
}

type Result = WriteOutcome | 'refused' | { error: unknown };

/** Writes a claim that was given a seat. Never rejects. */
async function write(claim: Claim, decision: Decision, slot: TimeSlot, lease: Lease | undefined): Promise<Result> {
	try {
		if (decision.kind === 'refused') return 'refused';
		if (decision.kind === 'landed') return await claim.landed(slot).then(() => 'written');
		if (claim.quota === 'needed') throw new ApiError('rate_limit_exceeded');
		return await underDeadline(claim.deadline, () => claim.write(decision.seat, slot, lease));
	} catch (error) {
		return { error };
	}
}

/** Claims whose time is over are refused: nothing of theirs is written. */
function refuseLate(open: Queued[]): Queued[] {
	return open.filter(({ claim, reject }) => {
		const inTime = claim.deadline.remaining() > 0;
		if (!inTime) reject(new ApiError('service_unavailable'));
		return inTime;
	});
}

function admit(open: Queued[], slot: TimeSlot | null): Queued[] {
	return open.filter(({ claim, reject }) => {
		const checked: Claim = claim; // an assertion needs a name whose type is written out
		try {
			checked.assertSlot(slot);
			return true;
		} catch (error) {
			reject(error);
			return false;
		}
	});
}

/** Answers, in order of arrival, what is final. @returns the rest */
function settle(batch: Queued[], decisions: Decision[], results: Result[]): Queued[] {
	return batch.filter(({ claim, resolve, reject }, index) => {
		const result = results[index]!;
		const decision = decisions[index]!;
		if (typeof result === 'object') reject(result.error);
		else if (result === 'written') {
			if (claim.quota !== 'not needed') claim.quota = 'used';
			resolve();
		} else if (decision.kind === 'refused' && decision.restsOn.every((other) => results[other] === 'written')) {
			reject(new ApiError(decision.error));
		} else return true;
		return false;
	});
}
