import { setTimeout as delay } from 'node:timers/promises';
import type { AccountKey } from '../../../shared/contract/actions/common.ts';
import type { Scoped } from '../../../shared/contract/actions.ts';
import { ApiError } from '../../../shared/contract/errors.ts';
import type { TimeSlot } from '../../../shared/contract/schemas/time-slot.ts';
import { Gatherer } from '../../../shared/engine/gatherer.ts';
import { randomIndex } from '../../../shared/engine/ids.ts';
import type { FairLock, Lease } from '../../../shared/lock/fair-lock.ts';
import { inBatch, type Span, tracing, within } from '../../../shared/tracing/tracing.ts';
import { type Deadline, underDeadline, withoutDeadline } from '../../../shared/work/deadline.ts';
import type { Occupant } from '../document/capacity.ts';
import { type Occurrence, occurrenceKey, placeOf } from '../document/keys.ts';
import { type QuotaCounts, QuotaUse } from '../quota/quota-use.ts';
import { type Claimant, type Decision, decideBatch } from './decide-batch.ts';

/** `taken`: a unique index refused the write. */
export type WriteOutcome = 'written' | 'taken';

/** A wish for a seat of an occurrence: a new booking, a move, a return from `cancelled`. */
export interface Claim extends Claimant, Occurrence {
	readonly deadline: Deadline;
	/** Of a new booking; a move and a return cost nothing. */
	readonly quota: QuotaUse | null;
	/** @throws where the slot, as it is now, refuses the claim, full or not */
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

/** What a decision is made from; each answer is as new as its question. */
export interface SeatSource extends QuotaCounts {
	/** The slot as catalog has it now; null where it is gone. Never a copy. */
	slot(key: { account_id: string; time_slot_id: number }): Promise<TimeSlot | null>;
	/** Every booking that holds a seat of the occurrence now. */
	occupants(key: { account_id: string; place: string }): Promise<Occupant[]>;
}

interface Queued {
	claim: Claim;
	/** Of the request that waits */
	span: Span | undefined;
	resolve: () => void;
	reject: (error: unknown) => void;
}

/** Claims on one occurrence, in order of arrival. */
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
/** ms that a group is waited for; a slower round finishes by itself, and holds up no other occurrence */
const GROUP_LASTS = 250;

/**
 * The queue of each occurrence. Whatever is queued in this process is served as one batch under the lock, in order of
 * arrival. The lock gives order and speed only: without it the same batch runs, and contenders are then other processes.
 * Where a unique index refuses a seat, the claim is decided again, from what is read then. Why that never overbooks is
 * proved in `capacity.ts`.
 *
 * Rounds of several occurrences that are ready at the same time set out together, so that their reads and writes share
 * statements. Two such groups are under way at most, because the fewer they are, the more each statement serves.
 */
export class SeatQueue {
	readonly #queues = new Map<AccountKey, Queue>();
	readonly #lock: FairLock;
	readonly #source: SeatSource;
	readonly #groups: Gatherer<Round, void>;

	/** @param groupLasts ms; see GROUP_LASTS */
	constructor(lock: FairLock, source: SeatSource, groupLasts = GROUP_LASTS) {
		this.#lock = lock;
		this.#source = source;
		this.#groups = new Gatherer<Round, void>(async (rounds) => {
			const ended = Promise.all(rounds.map(({ begin }) => begin()));
			await Promise.race([ended, delay(groupLasts, undefined, { ref: false })]);
			return rounds.map(() => undefined);
		});
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

	/** Claims that wait for their batch, of one occurrence or of all. */
	waiting(occurrence?: Occurrence): number {
		if (occurrence !== undefined) return this.#queues.get(occurrenceKey(occurrence))?.waiting.length ?? 0;
		return this.#queues.values().reduce((sum, { waiting }) => sum + waiting.length, 0);
	}

	async #drain({ key, occurrence, waiting }: Queue): Promise<void> {
		while (waiting.length > 0) {
			const lease = await within(waiting[0]?.span, () => this.#lock.acquire(key));
			const batch = waiting.splice(0, MAX_BATCH); // closed: who comes now is in the next batch
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
				open = await this.#inGroup(occurrence, () => this.#round(occurrence, open, lease));
			}
		} catch (error) {
			for (const { reject } of open) reject(error);
		}
		const uses = batch.map(({ claim }) => claim.quota);
		QuotaUse.giveBack(occurrence, uses, this.#source);
	}

	/** Has a round set out with those of other occurrences. Its end and its failure are its own. */
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
		const inTime = refuse(open, refusalOfLate);
		if (inTime.length === 0) return [];
		const { account_id, time_slot_id, date } = occurrence;
		// The maximum and the occupants are both read now, after the batch is closed; no copy decides anything.
		const [slot, occupants] = await Promise.all([
			this.#source.slot({ account_id, time_slot_id }),
			this.#source.occupants({ account_id, place: placeOf(time_slot_id, date) }),
		]);
		const admitted = refuse(inTime, (claim) => refusalBySlot(claim, slot));
		if (slot === null || admitted.length === 0) return [];
		const claims = admitted.map(({ claim }) => claim);
		const decisions = decideBatch(claims, slot.max_bookings, occupants);
		await this.#prepare(
			occurrence,
			claims.filter((_, index) => decisions[index]?.kind === 'seat'),
		);
		const results = await Promise.all(
			admitted.map(({ claim, span }, index) => within(span, () => write(claim, decisions[index]!, slot, lease))),
		);
		return answer(admitted, decisions, results);
	}

	/** The ids of the claims that were given a seat, and their part of the month's quota. */
	async #prepare(occurrence: Occurrence, seated: Claim[]): Promise<void> {
		const prepared = Promise.all(seated.map((claim) => claim.prepare()));
		prepared.catch(() => {}); // thrown below; what is reserved must be known first, or it is not given back
		const uses = seated.map(({ quota }) => quota);
		await QuotaUse.countAll(occurrence, uses, this.#source);
		await prepared;
	}
}

/** Answers the claims that something refuses. @returns the others, in order */
function refuse(claims: Queued[], refusalOf: (claim: Claim) => unknown): Queued[] {
	const passed: Queued[] = [];
	for (const queued of claims) {
		const refusal = refusalOf(queued.claim);
		if (refusal === undefined) passed.push(queued);
		else queued.reject(refusal);
	}
	return passed;
}

/** Of a claim whose time is over: nothing of it is written. */
function refusalOfLate({ deadline }: Claim): unknown {
	return deadline.remaining() > 0 ? undefined : new ApiError('service_unavailable');
}

function refusalBySlot(claim: Claim, slot: TimeSlot | null): unknown {
	try {
		claim.assertSlot(slot);
		return undefined;
	} catch (error) {
		return error;
	}
}

/** What became of one claim in a round; `refused` by the decision. */
type Result = WriteOutcome | 'refused' | { error: unknown };

/** Writes a claim that was given a seat. Never rejects. */
async function write(claim: Claim, decision: Decision, slot: TimeSlot, lease: Lease | undefined): Promise<Result> {
	try {
		if (decision.kind === 'refused') return 'refused';
		if (decision.kind === 'landed') return await claim.landed(slot).then(() => 'written');
		if (claim.quota?.isWanted) throw new ApiError('rate_limit_exceeded');
		return await underDeadline(claim.deadline, () => claim.write(decision.seat, slot, lease));
	} catch (error) {
		return { error };
	}
}

/**
 * Answers what is final, in order of arrival.
 * @returns the others: their seat was taken, or their refusal rests on a claim that was not written
 */
function answer(batch: Queued[], decisions: Decision[], results: Result[]): Queued[] {
	const again: Queued[] = [];
	for (const [index, queued] of batch.entries()) {
		const [decision, result] = [decisions[index]!, results[index]!];
		if (result === 'written') {
			queued.claim.quota?.keep();
			queued.resolve();
		} else if (typeof result === 'object') {
			queued.reject(result.error);
		} else if (decision.kind === 'refused' && decision.restsOn.every((other) => results[other] === 'written')) {
			queued.reject(new ApiError(decision.error));
		} else {
			again.push(queued);
		}
	}
	return again;
}
