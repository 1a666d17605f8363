import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '../../../shared/contract/errors.ts';
import { type Clock, timestamp } from '../../../shared/engine/clock.ts';
import { isDuplicateKey } from '../../../shared/store/write-errors.ts';
import { type Deadline, withoutDeadline } from '../../../shared/work/deadline.ts';
import type { BookingDocument, BookingModel } from './booking.model.ts';
import { fence, isFence } from './states.ts';

const RETRY_EVERY = 100; // ms

/** Nobody knows what became of an insert, or what will: the store told nothing about it until the deadline. */
export class InsertUnsettled extends Error {
	/** What the client is told */
	override readonly cause: unknown;

	constructor(cause: unknown) {
		super('the store told nothing about an insert');
		this.cause = cause;
	}
}

/**
 * Settles an insert whose outcome is not known. It may still land later, so before the request is refused a fence with
 * the same id stands in its way: the late insert then meets a duplicate `_id`. Where the fence meets one, the insert went
 * through, whatever others made of the booking since, if `created_at` says that it is this booking. (Ids are given once; but
 * a counter that came from an older backup than the bookings gives some again.)
 * @returns `fenced`: nothing was written, nor will be
 * @throws gateway_timeout where the store did not answer until the deadline: the outcome stays unknown
 */
export async function settleInsert(
	model: BookingModel,
	document: BookingDocument,
	clock: Clock,
	deadline: Deadline,
): Promise<'landed' | 'fenced'> {
	while (deadline.remaining() > 0) {
		try {
			await withoutDeadline(() => model.insertMany([fence(document, timestamp(clock.now()))], { lean: true }));
			return 'fenced';
		} catch (error) {
			if (isDuplicateKey(error)) {
				const there = await whatHasItsId(model, document);
				if (there !== null) return isFence(there) || !isSame(there, document) ? 'fenced' : 'landed';
			}
			await delay(RETRY_EVERY);
		}
	}
	throw new ApiError('gateway_timeout');
}

type Found = Pick<BookingDocument, '_id' | 'write_id' | 'created_at'>;

/** The booking, in any later state, its fence, or an older one of this account; null where nothing can be seen yet. */
function whatHasItsId(model: BookingModel, { _id, account_id }: BookingDocument) {
	return model.findOne({ _id, account_id }).select({ write_id: 1, created_at: 1 }).lean<Found>();
}

/** No write changes `created_at`; the other fields may be those of a later version. */
function isSame(found: Found, { created_at }: BookingDocument): boolean {
	return found.created_at === created_at;
}
