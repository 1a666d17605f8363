import { operations } from '../../../services/gateway/operations/index.ts';
import type { Operation } from '../../../services/gateway/operations/operation.ts';
import type { Random } from '../world/random.ts';

/** How often each operation is asked for, beside the others; 1 where nothing is said. */
const WEIGHTS: Record<string, number> = {
	createBooking: 40,
	updateBooking: 40,
	updateBookingCustomer: 10,
	deleteBooking: 8,
	getBooking: 6,
	listBookings: 4,
	getServiceAvailability: 4,
	updateTimeSlots: 4,
	listServiceTimeSlots: 4,
	updateWebhook: 2,
};

/** What clients of a world do most; drawn for each world. */
export interface Mix {
	/** ms between two requests of a client, in the mean */
	pause: number;
	/** Of how many bookings most changes are */
	hot: number;
	/** Part of the changes of bookings that come several at once */
	bursts: number;
	weights: readonly (readonly [Operation, number])[];
}

/** Worlds that have webhooks; each event costs twice as much there. */
const WITH_WEBHOOKS = 0.4;

/**
 * Each world does some of the operations often and some never: what needs many of one kind would hardly happen where all
 * come evenly. Creations there are always.
 */
export function drawMix(random: Random): Mix {
	const hasWebhooks = random.chance(WITH_WEBHOOKS);
	const weights = operations.map((operation) => {
		const factor = operation.id === 'createBooking' ? random.between(0.5, 2) : random.pick([0, 0.3, 1, 1, 2, 5]);
		const isLeftOut = operation.tag === 'Webhooks' && !hasWebhooks;
		return [operation, isLeftOut ? 0 : (WEIGHTS[operation.id] ?? 1) * factor] as const;
	});
	return {
		pause: random.between(10, 60),
		hot: 1 + random.integer(8),
		bursts: random.pick([0, 0.1, 0.3, 0.6]),
		weights,
	};
}

export function drawOperation(random: Random, { weights }: Mix): Operation {
	const sum = weights.reduce((all, [, weight]) => all + weight, 0);
	let left = random.next() * sum;
	for (const [operation, weight] of weights) {
		left -= weight;
		if (left < 0) return operation;
	}
	return weights[0]![0];
}
