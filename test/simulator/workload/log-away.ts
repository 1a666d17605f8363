import { operations } from '../../../services/gateway/operations/index.ts';
import type { SmallLimits } from '../limits.ts';
import type { Random } from '../world/random.ts';
import type { Mix } from './mix.ts';
import type { Shape, Trouble } from './shape.ts';

/** What is asked for, beside each other: places are taken and given up. */
const WEIGHTS: Record<string, number> = {
	createBooking: 5,
	updateBooking: 5,
	updateBookingCustomer: 1,
	deleteBooking: 2,
};

/**
 * A world in which few places change hands all the time while nobody reaches the event log, again and again and for long.
 * What waits then hangs together, and more of it than is looked at at once; when the log is back, all of it is told, by
 * processes that know of each other's nothing but what waits. By itself that coincides in one world of many thousands.
 */
export function whileTheLogIsAway(shape: Shape, random: Random): Shape {
	const { mix, trouble, processes, lasts } = shape;
	const weights = operations.flatMap((each): Mix['weights'] => {
		const weight = WEIGHTS[each.id];
		return weight === undefined ? [] : [[each, weight]];
	});
	const kinds = random.pick([
		['stall'],
		['freeze'],
		['kill', 'stall'],
		['stall', 'lost messages'],
		['freeze', 'reset'],
	]);
	const most = { ...mix.most, services: 1, bookings: Number.POSITIVE_INFINITY };
	const limits: SmallLimits = new Map([
		...shape.limits,
		['services/booking/outbox/relay.ts MOST_BEFORE', random.pick([1, 2, 5])],
	]);
	const away: Partial<Trouble> = { kinds, of: 'log', machine: undefined, moment: 'any', together: true, atOnce: false };
	return {
		...shape,
		limits,
		processes: { ...processes, booking: random.pick([2, 3]) },
		mix: {
			...mix,
			weights,
			subject: undefined,
			most,
			room: random.pick([1, 2]),
			weeks: 1,
			foreign: 0,
			bursts: 0,
			pause: mix.pause / 2,
		},
		trouble: { ...trouble, ...away, longest: random.pick([3_000, 6_000]), pause: random.between(500, lasts / 3) },
	};
}
