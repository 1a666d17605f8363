import type { Idempotency } from '../../../shared/contract/actions.ts';
import { ApiError } from '../../../shared/contract/errors.ts';
import type { Booking } from '../../../shared/contract/schemas/booking.ts';
import { SKEW } from '../../../shared/engine/clock.ts';
import type { BookingStore } from './booking-store.ts';
import { idempotencyKeyOf } from './keys.ts';

/** ms that a first answer is kept: 24 h by every process' clock */
export const IDEMPOTENCY_TTL = 24 * 60 * 60 * 1000 + SKEW;

/**
 * The first answer that was given under the key, if there is one.
 * @throws idempotency_key_reused where it was another request's
 */
export async function findFirstAnswer(
	store: BookingStore,
	account_id: string,
	{ key, fingerprint }: Idempotency,
): Promise<Booking | undefined> {
	const document = await store.findByIdempotencyKey(account_id, idempotencyKeyOf(account_id, key));
	if (document === null || document.idempotency === null) return undefined;
	if (store.clock.now() - document.idempotency.at > IDEMPOTENCY_TTL) {
		await store.freeIdempotencyKey(document);
		return undefined;
	}
	if (document.idempotency.fingerprint !== fingerprint) throw new ApiError('idempotency_key_reused');
	return document.idempotency.answer;
}
