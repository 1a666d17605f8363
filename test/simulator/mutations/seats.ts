import { type Mutation, mutation as m } from './mutation.ts';

const capacity = 'services/booking/seats/capacity.ts';
const decideBatch = 'services/booking/seats/decide-batch.ts';
const seatQueue = 'services/booking/seats/seat-queue.ts';
const newBooking = 'services/booking/seats/new-booking.ts';
const bookable = 'shared/calendar/bookable.ts';
const openings = 'services/booking/seats/openings.ts';

/** Who is given a place */
export const seats: readonly Mutation[] = [
	m(
		capacity,
		'seats.length < count && seat < max;',
		'seats.length < count + 1 && seat < max + 1;',
		'one seat too many is given out',
	),
	m(
		capacity,
		'return freeSeats(max, taken, Math.min(room(max, occupants.length), MOST_TOLD));',
		'return freeSeats(max, taken, MOST_TOLD);',
		'any free seat below the maximum is open, not the first ones only',
	),
	m(
		decideBatch,
		"if (claim.movedId !== undefined && present.has(claim.movedId)) return { kind: 'stale' };",
		'',
		'a booking that is there already claims a seat once more',
	),
	m(decideBatch, 'accepted.push(index);', '', 'a refusal stands though those it rests on were not written'),
	m(
		decideBatch,
		'\t\tif (claim.customerKey !== null) customers.set(claim.customerKey, index);\n',
		'',
		'a customer who comes twice in a batch is given two seats',
	),
	m(
		decideBatch,
		'restsOn: same === IN_STORE ? [] : [same] };',
		'restsOn: [] };',
		'who was refused as a duplicate stays so though the other one was not written',
	),
	m(
		seatQueue,
		'QuotaUse.giveBack(occurrence, usesOf(batch), this.#dependencies);',
		'',
		'what was reserved of the quota and not used is not given back',
	),
	m(
		seatQueue,
		"\t\tif (claim.quota?.isWanted) throw new ApiError('booking_rate_limit_exceeded', undefined, secondsLeftOfMonth(at));\n",
		'',
		'what the quota does not suffice for is made',
	),
	m(
		seatQueue,
		"\tif (deadline.remaining() <= 0) throw new ApiError('service_unavailable');\n",
		'\tdeadline.remaining();\n',
		'a claim is decided after its deadline',
	),
	m(
		seatQueue,
		'const batch = admitted(inTime, (claim) => claim.assertSlot(now));',
		'const batch = inTime;',
		'nobody looks whether the slot takes bookings on that date',
	),
	m(
		seatQueue,
		"decision.restsOn.every((other) => results[other] === 'written')",
		'decision.restsOn.length >= 0',
		'a refusal stands whatever became of the bookings that it rests on',
	),
	m(
		newBooking,
		"if (outcome === 'written') this.quota.keep();",
		'',
		'bookings that are made are given back to the quota',
	),
	m(
		newBooking,
		"if (outcome === 'written') await this.#deleteIfServiceIs();\n\t\telse await",
		"if (outcome !== 'written') await",
		'nobody looks whether the service was deleted meanwhile',
	),
	m(
		newBooking,
		'document.idempotency_key = idempotencyKeyOf(account_id, idempotency.key);',
		'',
		'a booking does not hold its Idempotency-Key',
	),
	m(
		newBooking,
		'return timestamp(Math.min(Math.max(now, start), end - 1));',
		'return timestamp(Math.max(now, start) + 0 * end);',
		'a booking is counted in one month and made in the next',
	),
	m(
		newBooking,
		'\t\t\tthis.#unsettled.add(this.document, this.quota.month);\n',
		'',
		'nobody finds out what became of an insert that stayed unknown',
	),
	m(
		bookable,
		'return Math.max(0, max - active);',
		'return Math.max(0, max - active + 1);',
		'there is room for one more than the maximum',
	),
	m(
		openings,
		'looked.filter((seat) => seat < max && !held',
		'looked.filter((seat) => !held',
		'seats that were free above a maximum that was lowered are given out',
	),
	m(openings, 'if (!wasLowered && free.length', 'if (free.length', 'a crowd whose maximum was lowered takes bookings'),
	m(
		openings,
		'const expired = occupants.filter(({ heldUntil }) => heldUntil > 0 && heldUntil <= now);',
		'const expired = occupants.filter(({ heldUntil }) => heldUntil > 0);',
		'a claim ends holds that still last',
	),
];
