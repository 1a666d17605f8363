import { operations } from '../../../services/gateway/operations/index.ts';
import type { Operation } from '../../../services/gateway/operations/operation.ts';
import type { Random } from '../world/random.ts';
import type { Part } from './shape.ts';

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
	replaceSchedule: 3,
	listServiceTimeSlots: 4,
	updateWebhook: 20,
	deleteWebhook: 12,
};

/** What clients of a world do most; drawn for each world. */
export interface Mix {
	/** ms between two requests of a client, in the mean */
	pause: number;
	/** Of how many bookings most changes are */
	hot: number;
	/** Part of the changes of bookings that come several at once */
	bursts: number;
	/** Part of the requests that try what belongs to another account */
	foreign: number;
	/** How many there are at most, of each account: what is there is then used instead */
	most: { services: number; bookings: number; webhooks: number };
	/** Highest maximum that a slot begins with */
	room: number;
	/** Part of the bookings that are held; where there are none, time is never skipped */
	holds: number;
	/** Weeks and customers that bookings are made for */
	weeks: number;
	customers: number;
	/** Webhooks of each account from the start */
	webhooks: number;
	/** Whether each is subscribed to one type of events at a time */
	oneType: boolean;
	weights: readonly (readonly [Operation, number])[];
	/** Of the reference, where all operations but creations are about it */
	subject: string | undefined;
}

/** Worlds that have webhooks; each event costs twice as much there, so every other such world is about nothing else. */
const WITH_WEBHOOKS = 0.5;

/**
 * Each world does some of the operations often and some never: what needs many of one kind would hardly happen where all
 * come evenly. Creations there are always.
 * @param leastPause ms between two requests of a client
 */
export function drawMix(random: Random, part: Part, leastPause: number): Mix {
	const hasWebhooks = random.chance(WITH_WEBHOOKS);
	const may = operations.filter(({ tag }) => tag !== 'Webhooks' || hasWebhooks);
	const { weights, subject } = part<Pick<Mix, 'weights' | 'subject'>>(
		'operations',
		(own) => someOf(may, own, hasWebhooks),
		(own) => ({
			weights: may.map((each) => [each, weightOf(each) * factorOf(each, own)] as const),
			subject: undefined,
		}),
	);
	return {
		pause:
			leastPause +
			part(
				'pause',
				(own) => own.between(0, 20),
				(own) => own.between(10, 60),
			),
		hot: part(
			'hot',
			(own) => 1 + own.integer(2),
			(own) => 1 + own.integer(8),
		),
		bursts: part(
			'bursts',
			(own) => own.pick([0, 0.3, 0.6]),
			(own) => own.pick([0, 0.1, 0.3, 0.6]),
		),
		foreign: part(
			'foreign',
			(own) => own.pick([0, 0.4]),
			() => 0.12,
		),
		most: part(
			'most',
			(own) => ({
				services: 1 + own.integer(2),
				bookings: own.pick([1, 2, 5, Infinity, Infinity]),
				webhooks: 1 + own.integer(2),
			}),
			() => ({ services: 12, bookings: Infinity, webhooks: 3 }),
		),
		room: part(
			'room',
			(own) => own.pick([1, 100]),
			(own) => own.pick([3, 10]),
		),
		weeks: part(
			'weeks',
			() => 1,
			() => 3,
		),
		customers: part(
			'customers',
			(own) => 1 + own.integer(3),
			() => 12,
		),
		holds: part(
			'holds',
			(own) => own.pick([0, 0, 0.7]),
			(own) => own.pick([0, 0.2]),
		),
		webhooks: hasWebhooks ? 1 : 0,
		oneType: part(
			'types',
			(own) => own.chance(0.6),
			() => false,
		),
		weights,
		subject,
	};
}

function weightOf({ id }: Operation): number {
	return WEIGHTS[id] ?? 1;
}

function factorOf({ id }: Operation, random: Random): number {
	return id === 'createBooking' ? random.between(0.5, 2) : random.pick([0, 0.3, 1, 1, 2, 5]);
}

/**
 * Creations, and up to four others, all about equally often. Those that matter more are drawn more often; or all are about
 * one subject of the reference, so that what is seldom asked for meets itself, too: there something changes always.
 */
function someOf(may: readonly Operation[], random: Random, hasWebhooks: boolean): Pick<Mix, 'weights' | 'subject'> {
	const isChange = ({ method }: Operation) => method !== 'GET';
	const subjects = new Set(may.filter(isChange).map(({ tag }) => tag));
	const one = hasWebhooks && random.chance(0.8) ? 'Webhooks' : random.pick([...subjects]);
	const subject = random.chance(hasWebhooks ? 0.8 : 0.5) ? one : undefined;
	const creation = may.find(({ id }) => id === 'createBooking')!;
	const left = new Set(may.filter((each) => each !== creation && each.tag === (subject ?? each.tag)));
	const creations = hasWebhooks ? [1, 3, 6] : [0.2, 1, 3]; // what is subscribed to has to happen, too
	const chosen: (readonly [Operation, number])[] = [[creation, random.pick(creations)]];
	for (let count = 1 + random.integer(4); count > 0 && left.size > 0; count--) {
		const isFirst = chosen.length === 1;
		const open = [...left].filter((each) => !(isFirst && subject !== undefined) || isChange(each));
		const operation = drawBy(
			open.map((each) => [each, weightOf(each) ** 0.75] as const),
			random,
		);
		left.delete(operation);
		chosen.push([operation, random.pick([1, 1, 3])]);
	}
	return { weights: chosen, subject };
}

export function drawOperation(random: Random, { weights }: Mix): Operation {
	return drawBy(weights, random);
}

/** One of those that have a weight, the heavier the likelier */
export function drawBy<T>(weights: readonly (readonly [T, number])[], random: Random): T {
	const sum = weights.reduce((all, [, weight]) => all + weight, 0);
	let left = random.next() * sum;
	for (const [each, weight] of weights) {
		left -= weight;
		if (left < 0) return each;
	}
	return weights[0]![0];
}
