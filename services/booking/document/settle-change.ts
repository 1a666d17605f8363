import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '../../../shared/contract/errors.ts';
import { randomBase62, randomIndex } from '../../../shared/engine/ids.ts';
import { isUnavailable, retryDeadlock } from '../../../shared/store/write-errors.ts';
import { type Deadline, DeadlinePassed, underDeadline } from '../../../shared/work/deadline.ts';
import type { BookingDocument, BookingModel } from './booking.model.ts';

/**
 * What came of a write of one booking. Only after `written` are its fields changed, now or later.
 *
 * - `stale`: to be decided anew on the booking as it is now; an insert is never stale
 * - `duplicate key`: a unique index refused it, or the store gave it up because of another write of the same key
 */
export type WriteOutcome = 'written' | 'stale' | 'duplicate key';

/** Writes that a booking remembers */
const REMEMBERED = 20;
/** Times that a change is looked for, where nothing else ends it */
const ATTEMPTS = 4;
const RETRY_WITHIN = 50; // ms

/** What a write pushes to the booking's `last_writes`. @param version before it; none where the booking ends with it */
export function remembered(write_id: string, version?: number) {
	return { $each: [`${version ?? ''}:${write_id}`], $slice: -REMEMBERED };
}

interface LostChange {
	/** What the write matches: the booking as it was read */
	before: Pick<BookingDocument, '_id' | 'account_id' | 'version' | 'write_id' | 'deleted_at'>;
	/** Of the write whose answer was lost */
	write_id: string;
	/** Carries the same write out again */
	write: () => Promise<WriteOutcome>;
	deadline: Deadline | undefined;
}

/**
 * Finds out what became of a change whose answer was lost. It is judged by its own trace in the booking, not by who wrote
 * last: another process may have changed or deleted the booking since.
 *
 * Refused means that nothing was written, and nothing will be. The first try may still be on its way to the store, so
 * what keeps it from landing after a refusal must be in its filter:
 *
 * - `stale`: the booking has another `write_id` than the filter names. Each write brings a new random one, none ever comes
 *   back, and no id of a booking is used again. So a late try matches nothing, whatever happens to the booking later.
 * - `duplicate key`: here the booking is as it was, and the late try would match as soon as the key is free. So the refusal is
 *   told only after the booking got another `write_id`, which changes nothing else. Where that write finds the booking
 *   changed, it is looked at again.
 *
 * A booking remembers its last 20 writes. Where more came between, or where its tombstone is gone, nobody can tell any
 * more: that is answered as unknown, never as a refusal.
 * @throws gateway_timeout where the outcome stays unknown
 */
export async function settleChange(model: BookingModel, lost: LostChange): Promise<WriteOutcome> {
	for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
		try {
			const fate = await fateOf(model, lost);
			if (fate !== 'undecided') return fate;
			lost.deadline?.assertTimeLeft();
			const outcome = await underDeadline(lost.deadline, lost.write);
			if (outcome === 'written') return outcome;
			if (outcome === 'duplicate key' && (await renewWriteId(model, lost))) return outcome;
		} catch (error) {
			if (error instanceof DeadlinePassed) break; // of this try; the first one may have gone through
			if (!isUnavailable(error)) throw error;
			await delay(randomIndex(RETRY_WITHIN));
		}
	}
	throw new ApiError('gateway_timeout');
}

/** `undecided`: the booking is as it was read; the write may still land. */
async function fateOf(
	model: BookingModel,
	{ before, write_id }: LostChange,
): Promise<'written' | 'stale' | 'undecided'> {
	const { _id, account_id } = before;
	const now = await model
		.findOne({ _id, account_id })
		.select({ write_id: 1, last_writes: 1 })
		.lean<Pick<BookingDocument, 'write_id' | 'last_writes'>>();
	if (now === null) throw new ApiError('gateway_timeout');
	if (now.write_id === before.write_id) return 'undecided';
	const writes = now.last_writes ?? [];
	if (writes.some((write) => write.endsWith(`:${write_id}`))) return 'written';
	// A list that reaches back to the version that was read would have it.
	if (writes.length < REMEMBERED || versionOf(writes[0]!) <= before.version) return 'stale';
	throw new ApiError('gateway_timeout');
}

/** After it no try of the change can land. @returns false where the booking is not as it was read */
async function renewWriteId(model: BookingModel, { before }: LostChange): Promise<boolean> {
	const change = { $set: { write_id: randomBase62(12) } };
	return (await retryDeadlock(() => model.updateOne(before, change))).matchedCount === 1;
}

function versionOf(write: string): number {
	return Number(write.slice(0, write.indexOf(':')));
}
