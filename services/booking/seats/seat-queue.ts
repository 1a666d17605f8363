import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { maximumOf } from '../../../shared/calendar/bookable.ts';
import { secondsLeftOfMonth } from '../../../shared/calendar/plain-date.ts';
import type { AccountKey } from '../../../shared/contract/actions/common.ts';
import type { Scoped, SlotNow } from '../../../shared/contract/actions.ts';
import { ApiError } from '../../../shared/contract/errors.ts';
import { Gatherer } from '../../../shared/engine/gatherer.ts';
import { randomIndex } from '../../../shared/engine/ids.ts';
import type { FairLock, Lease } from '../../../shared/lock/fair-lock.ts';
import { inBatch, type Span, tracing, within } from '../../../shared/tracing/tracing.ts';
import { type Deadline, underDeadline, withoutDeadline } from '../../../shared/work/deadline.ts';
import type { Crowds } from '../document/crowds.ts';
import { type Occupant, type Occurrence, occurrenceKey } from '../document/keys.ts';
import type { WriteOutcome } from '../document/settle-change.ts';
import { type QuotaCounts, QuotaUse } from '../quota/quota-use.ts';
import { type Claimant, type Decision, decideBatch } from './decide-batch.ts';
import { LikelyFree } from './likely-free.ts';
import { expiredInTheWay, openingsOf, openingsOfCrowd } from './openings.ts';

/** A wish for a seat of an occurrence: a new booking, a move, a return from `cancelled`. */
export interface Claim extends Claimant, Occurrence {
	readonly deadline: Deadline;
	/** A move and a return cost nothing: null. */
	readonly quota: QuotaUse | null;
	/** @throws where the slot, as it is now, refuses the claim, full or not */
	assertSlot(now: SlotNow | null): void;
	/** After the claim was given a seat: a new booking takes its id. */
	prepare(): Promise<void>;
	/**
	 * One write of one document.
	 * @param lease before whose end the write is to end; undefined without the lock
	 * @throws where the claim is refused, or its outcome stays unknown
	 */
	write(seat: number, now: SlotNow, lease: Lease | undefined): Promise<WriteOutcome>;
}

/** `stale`: the booking changed since its claim was made; nothing was written. */
export type ClaimOutcome = 'written' | 'stale';

/** What the queue asks of others; each answer is as new as its question. */
export interface SeatQueueDependencies extends QuotaCounts {
	/** The slot as catalog has it now; null where it is gone. Never a copy. */
	slot(key: Occurrence): Promise<SlotNow | null>;
	/** All of them; undefined where they are too many to read them all for each batch */
	occupants(occurrence: Occurrence): Promise<Occupant[] | undefined>;
	readonly crowds: Crowds;
	/** ms */
	now(): number;
	/** Cancels those of these occupants whose hold ended until `now`, and that are still as they were. */
	expire(occurrence: Occurrence, ids: readonly number[], now: number): Promise<void>;
}

interface Queued {
	claim: Claim;
	/** Of the request that waits */
	span: Span | undefined;
	resolve: (outcome: ClaimOutcome) => void;
	reject: (error: unknown) => void;
}

/** Claims on one occurrence, in order of arrival. */
interface Queue {
	readonly key: AccountKey;
	readonly occurrence: Occurrence;
	readonly waiting: Queued[];
}

interface Round extends Scoped {
	begin: () => Promise<void>;
}

const MAX_BATCH = 250;
/** Crowded occurrences that are known, the last ones; of at most 64 KB each */
const CROWDED = 250;
/** ms that a group is waited for; a slower round finishes by itself, and holds up no other occurrence */
const GROUP_LASTS = 250;

/**
 * The queue of each occurrence. Whatever is queued in this process is served as one batch under the lock, in order of
 * arrival. The lock gives order and speed only: without it the same batch runs, and contenders are then other processes.
 * Where a unique index refuses a seat, the claim is decided again, from what is read then. Why that never overbooks is
 * proved in `capacity.ts`.
 *
 * Rounds of several occurrences that are ready at the same time set out together, so that their reads and writes share
 * statements. At most two such groups are under way (the default of `Gatherer`): the fewer, the more each statement serves.
 */
export class SeatQueue {
	readonly #queues = new Map<AccountKey, Queue>();
	readonly #lock: FairLock;
	readonly #dependencies: SeatQueueDependencies;
	readonly #groups: Gatherer<Round, void>;
	/** Occurrences that had too many occupants once: a round does not try to read them all */
	readonly #crowded = new LRUCache<AccountKey, LikelyFree>({ max: CROWDED });

	/** @param groupLasts ms; see GROUP_LASTS */
	constructor(lock: FairLock, dependencies: SeatQueueDependencies, groupLasts = GROUP_LASTS) {
		this.#lock = lock;
		this.#dependencies = dependencies;
		this.#groups = new Gatherer<Round, void>(async (rounds) => {
			const ended = Promise.all(rounds.map(({ begin }) => begin()));
			await Promise.race([ended, delay(groupLasts, undefined, { ref: false })]);
			return rounds.map(() => undefined);
		});
	}

	/**
	 * Resolves once the claim's write is durable, or stale.
	 * @throws duplicate_booking, closed, time_slot_full, booking_rate_limit_exceeded, service_unavailable at the deadline,
	 *   and whatever the claim itself throws
	 */
	claim(claim: Claim): Promise<ClaimOutcome> {
		return new Promise((resolve, reject) => {
			const { account_id, time_slot_id, date } = claim;
			const key = occurrenceKey(claim);
			const queued = { claim, span: tracing?.current(), resolve, reject };
			const queue = this.#queues.get(key);
			if (queue !== undefined) {
				queue.waiting.push(queued);
			} else {
				const occurrence = { account_id, time_slot_id, date };
				const begun = { key, occurrence, waiting: [queued] };
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

	async #drain(queue: Queue): Promise<void> {
		const { key, waiting } = queue;
		try {
			while (waiting.length > 0) {
				const lease = await within(waiting[0]?.span, () => this.#lock.acquire(key));
				const batch = waiting.splice(0, MAX_BATCH); // closed: who comes now is in the next batch
				await inBatch(
					'claim places',
					() => batch.map(({ span }) => span),
					() => this.#serve(queue, batch, lease),
				);
				await lease?.release();
			}
		} finally {
			this.#queues.delete(key);
		}
	}

	/** Rounds of reading, deciding and writing, until each claim of the batch has its answer. */
	async #serve(queue: Queue, batch: Queued[], lease: Lease | undefined): Promise<void> {
		const { occurrence } = queue;
		let undecided = batch;
		try {
			for (let round = 1; undecided.length > 0; round++) {
				if (round > 1) await delay(randomIndex(4 * round)); // what a unique index refused may not be visible yet
				undecided = await this.#inGroup(occurrence, () => this.#round(queue, undecided, lease));
			}
		} catch (error) {
			for (const { reject } of undecided) reject(error);
		}
		QuotaUse.giveBack(occurrence, usesOf(batch), this.#dependencies);
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
	async #round(queue: Queue, undecided: Queued[], lease: Lease | undefined): Promise<Queued[]> {
		const inTime = admitted(undecided, assertInTime);
		if (inTime.length === 0) return [];
		const { key, occurrence } = queue;
		const at = this.#dependencies.now();
		// The maximum and the occupants are both read now, after the batch is closed; no copy decides anything.
		const [now, occupants] = await Promise.all([
			this.#dependencies.slot(occurrence),
			this.#crowded.has(key) ? undefined : this.#dependencies.occupants(occurrence),
		]);
		const batch = admitted(inTime, (claim) => claim.assertSlot(now));
		if (now === null || batch.length === 0) return [];
		const claims = batch.map(({ claim }) => claim);
		const max = maximumOf(now.slot, now.override);
		const openings =
			occupants === undefined
				? await openingsOfCrowd(
						this.#dependencies.crowds,
						this.#likelyFree(key),
						{ occurrence, service_id: now.slot.service_id, max },
						claims,
						at,
					)
				: openingsOf(max, occupants);
		const expired = expiredInTheWay(claims, max, openings, at);
		if (expired.length > 0) {
			await this.#dependencies.expire(occurrence, expired, at);
			return batch; // what they held is free, or somebody else's: to be read again
		}
		const decisions = decideBatch(claims, max, openings);
		const seated = batch.filter((_, index) => decisions[index]?.kind === 'seat');
		await this.#prepare(occurrence, seated);
		const results = await Promise.all(
			batch.map(({ claim, span }, index) => within(span, () => write(claim, decisions[index]!, { now, at, lease }))),
		);
		return complete(batch, decisions, results);
	}

	#likelyFree(key: AccountKey): LikelyFree {
		const known = this.#crowded.get(key) ?? new LikelyFree();
		this.#crowded.set(key, known);
		return known;
	}

	/** A booking of this process gave up a seat: in a crowd it is looked at first. */
	freed(occurrence: Occurrence, seat: number): void {
		this.#crowded.get(occurrenceKey(occurrence))?.add(seat);
	}

	/** Ids, and the month's quota, for claims that were given a seat. */
	async #prepare(occurrence: Occurrence, seated: Queued[]): Promise<void> {
		const prepared = Promise.all(seated.map(({ claim }) => claim.prepare()));
		prepared.catch(() => {}); // thrown below; what is reserved must be known first, or it is not given back
		await QuotaUse.countAll(occurrence, usesOf(seated), this.#dependencies);
		await prepared;
	}
}

function usesOf(batch: Queued[]): QuotaUse[] {
	return batch.map(({ claim }) => claim.quota).filter((use) => use !== null);
}

/** Rejects the claims that fail an assertion. @returns the others, in order */
function admitted(claims: Queued[], assert: (claim: Claim) => void): Queued[] {
	const passed: Queued[] = [];
	for (const queued of claims) {
		try {
			assert(queued.claim);
			passed.push(queued);
		} catch (error) {
			queued.reject(error);
		}
	}
	return passed;
}

function assertInTime({ deadline }: Claim): void {
	if (deadline.remaining() <= 0) throw new ApiError('service_unavailable');
}

/** What became of one claim in a round; `refused` by the decision. */
type Result = WriteOutcome | 'refused' | { error: unknown };

/** Carries a decision out. Never rejects. */
async function write(
	claim: Claim,
	decision: Decision,
	{ now, at, lease }: { now: SlotNow; at: number; lease: Lease | undefined },
): Promise<Result> {
	try {
		if (decision.kind !== 'seat') return decision.kind;
		if (claim.quota?.isWanted) throw new ApiError('booking_rate_limit_exceeded', undefined, secondsLeftOfMonth(at));
		return await underDeadline(claim.deadline, () => claim.write(decision.seat, now, lease));
	} catch (error) {
		return { error };
	}
}

/**
 * Resolves and rejects what is final, in order of arrival.
 * @returns the others: a unique index refused their seat, or their refusal rests on a claim that was not written
 */
function complete(batch: Queued[], decisions: Decision[], results: Result[]): Queued[] {
	const again: Queued[] = [];
	for (const [index, queued] of batch.entries()) {
		const [decision, result] = [decisions[index]!, results[index]!];
		if (result === 'written' || result === 'stale') {
			queued.resolve(result);
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
