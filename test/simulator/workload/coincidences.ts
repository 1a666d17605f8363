import { operations } from '../../../services/gateway/operations/index.ts';
import type { Random } from '../world/random.ts';
import type { Mix } from './mix.ts';
import { HOUR, type Shape, type Trouble } from './shape.ts';

/** What of a world is not drawn part by part */
interface About {
	/** What is asked for, and how often beside each other */
	weights: Record<string, number>;
	mix?: Partial<Mix>;
	trouble: Pick<Trouble, 'kinds' | 'of'> & Partial<Trouble>;
	processes?: Record<string, number>;
	clocks?: Shape['clocks'];
	limits?: [name: string, value: number][];
	/** ms */
	lasts?: number;
}

type Coincidence = (random: Random, shape: Shape) => About;

/** Of all clients, about: as many as are over in a few seconds of one core */
const REQUESTS = 400;

/**
 * What went wrong once, or nearly, and where all parts are drawn by themselves is met in one world of hundreds: then most of a
 * search goes by without it. Each names what has to come together, and leaves the rest to chance.
 */
export const COINCIDENCES: Readonly<Record<string, Coincidence>> = {
	/**
	 * Few places change hands while nobody reaches the event log. What waits then hangs together, more of it than is looked at
	 * at once, and is told by processes that know nothing of each other but what waits.
	 */
	'a log that is away': (random) => ({
		weights: { createBooking: 5, updateBooking: 5, updateBookingCustomer: 1, deleteBooking: 2 },
		mix: { room: random.pick([1, 2]), weeks: 1, bursts: 0 },
		trouble: {
			kinds: random.pick([['stall'], ['stall', 'kill'], ['stall', 'lost messages'], ['stall', 'freeze']]),
			of: 'log',
			together: true,
			longest: random.pick([3_000, 6_000]),
		},
		processes: { booking: random.pick([2, 3]), log: random.pick([1, 2]) },
		limits: [['services/booking/outbox/relay.ts MOST_BEFORE', random.pick([1, 2, 5])]],
	}),

	/** Changes of one booking by several processes, of which one is not told what came of its own (X2, X3). */
	'changes that cross': (random) => ({
		weights: { createBooking: 1, updateBooking: 6, updateBookingCustomer: 4, deleteBooking: 0.3 },
		mix: { hot: 1, bursts: random.pick([0.3, 0.6]), most: { services: 2, bookings: 3, webhooks: 1 }, room: 100 },
		trouble: { kinds: ['lost answers'], of: 'booking', longest: 3_000 },
		processes: { booking: random.pick([2, 3]) },
	}),

	/** Processes that die between a write and what follows it, and leave it to others with other clocks (X4). */
	'writers that die': (random) => {
		const machine = random.integer(2);
		return {
			weights: { createBooking: 4, updateBooking: 3, deleteBooking: 1 },
			mix: { room: 100 },
			trouble: { kinds: ['kill'], of: 'booking', machine, moment: 'write', longest: 1_000, pause: 700 },
			processes: { booking: 3 },
			clocks: { wrong: 0, odd: { machine, ahead: HOUR } },
		};
	},

	/** Commands that are taken up when nobody waits for them any more, behind newer ones (X13). */
	'commands that are late': (random) => ({
		weights: { createBooking: 3, updateBooking: 5, updateBookingCustomer: 1, deleteBooking: 1 },
		mix: { room: 100 },
		trouble: { kinds: random.pick([['freeze'], ['freeze', 'stall']]), of: 'booking', longest: 25_000 },
		processes: { booking: 2 },
	}),

	/** Subscriptions that change while a page of the log is on its way (X14). */
	'subscriptions that change': (random) => ({
		weights: { createBooking: 2, updateBooking: 6, updateWebhook: 8 },
		mix: { webhooks: 1, oneType: true, room: 100, most: { services: 1, bookings: 10, webhooks: 1 } },
		trouble: {
			kinds: ['slow store'],
			of: 'log',
			commands: { collection: 'events', writes: false },
			longest: 1_000,
			pause: 200,
		},
		lasts: 3_000,
		processes: { log: random.pick([1, 2]) },
	}),

	/** Deliveries that land when their webhook is gone (X15). */
	'webhooks that go': (random) => ({
		weights: { createBooking: 3, updateBooking: 5, createWebhook: 2, deleteWebhook: 2 },
		mix: { webhooks: 2, oneType: false, room: 100, most: { services: 1, bookings: 10, webhooks: 3 } },
		trouble: {
			kinds: ['stragglers'],
			of: 'log',
			commands: { collection: 'deliveries', writes: true },
			longest: random.pick([3_000, 6_000]),
			pause: 400,
		},
		processes: { log: random.pick([1, 2]) },
	}),

	/** Quota that is reserved, and nobody is told (X16). */
	'reservations that are lost': (random) => ({
		weights: { createBooking: 6, updateBooking: 1, deleteBooking: 1 },
		mix: { room: 100, most: { services: 2, bookings: Number.POSITIVE_INFINITY, webhooks: 1 } },
		trouble: {
			kinds: random.pick([['stall'], ['stall', 'lost answers'], ['lost messages', 'freeze']]),
			of: random.pick(['core', 'booking']),
			longest: 15_000,
		},
	}),
};

/** A world like another one, but about this coincidence. @param wanted ms; as long as that takes, where it is undefined */
export function aboutIt(name: string, shape: Shape, random: Random, wanted: number | undefined): Shape {
	const { weights, mix, trouble, processes, clocks, limits = [], ...given } = COINCIDENCES[name]!(random, shape);
	const asked = operations.flatMap((each): Mix['weights'] => {
		const weight = weights[each.id];
		return weight === undefined ? [] : [[each, weight]];
	});
	const { longest = shape.trouble.longest } = trouble;
	const lasts = wanted ?? given.lasts ?? shape.lasts + (longest > shape.lasts ? longest : 0);
	const often = random.between(Math.min(500, lasts / 6), lasts / 3);
	const drawn = { machine: undefined, together: false, atOnce: false, moment: 'any' as const, pause: often };
	return {
		...shape,
		about: name,
		lasts,
		limits: new Map([...shape.limits, ...limits]),
		processes: { ...shape.processes, ...processes },
		clocks: clocks ?? shape.clocks,
		mix: {
			...shape.mix,
			weights: asked,
			subject: undefined,
			foreign: 0,
			pause: (shape.accounts * shape.clients * lasts) / REQUESTS,
			...mix,
		},
		trouble: { ...shape.trouble, ...drawn, longest, ...trouble },
	};
}
