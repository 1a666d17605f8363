import { SKEW, timestamp } from '../../../shared/engine/clock.ts';
import type { EventModel } from './event.model.ts';
import { newestSequence } from './event-log.ts';

/** ms that an event is kept: 30 days (contract §8) */
const KEPT = 30 * 24 * 3_600_000 + SKEW;
/** Events removed at a time */
const PIECE = 500;

/**
 * Removes events that came into the log more than 30 days ago, account after account, the oldest first. An account's
 * newest event stays: the next sequence is read from it. Any number of processes may do this at once.
 *
 * @param now ms
 * @param signal ends it early
 * @returns how many were removed
 */
export async function sweepEvents(model: EventModel, now: number, signal?: AbortSignal): Promise<number> {
	const limit = timestamp(now - KEPT);
	let removed = 0;
	for (let oldest = await oldestAfter(model, ''); oldest; oldest = await oldestAfter(model, oldest.account_id)) {
		if (signal?.aborted) break;
		if (oldest.appended_at < limit) removed += await sweepAccount(model, oldest.account_id, limit);
	}
	return removed;
}

/** The oldest event of the account that follows `account_id`. The sweep is about every account: the one named exception. */
function oldestAfter(model: EventModel, account_id: string) {
	return model
		.findOne({ account_id: { $gt: account_id } }, { account_id: 1, appended_at: 1 }, { everyAccount: true })
		.sort({ account_id: 1, sequence: 1 })
		.lean();
}

/** Removes a beginning of the log, so that what is left has no hole even where the clocks of processes differ. */
async function sweepAccount(model: EventModel, account_id: string, limit: string): Promise<number> {
	const newest = await newestSequence(model, account_id);
	for (let removed = 0; ; ) {
		const oldest = await model
			.find({ account_id, sequence: { $lt: newest } }, { sequence: 1, appended_at: 1 })
			.sort({ sequence: 1 })
			.limit(PIECE)
			.lean();
		const kept = oldest.findIndex((event) => event.appended_at >= limit);
		const last = oldest.at(kept === -1 ? -1 : kept - 1);
		if (last === undefined || kept === 0) return removed;
		const { deletedCount } = await model.deleteMany({ account_id, sequence: { $lte: last.sequence } });
		removed += deletedCount;
	}
}
