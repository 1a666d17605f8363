import { type Model, Schema } from 'mongoose';
import type {
	DeliveredType,
	Delivery,
	DeliveryAttempt,
	DeliveryStatus,
} from '../../../../shared/contract/schemas/delivery.ts';
import { type Clock, SKEW, timestamp } from '../../../../shared/engine/clock.ts';
import { modelOf, number, text } from '../../../../shared/store/model.ts';
import type { QueueTime } from './queue-time.ts';

/**
 * An event on its way to a webhook. The event itself is in the event log; a test, which is not, is carried here.
 *
 * Every change of its state raises `revision` and compares it, so that the result of an attempt that somebody overtook
 * (asked for the delivery again, settled it) changes nothing but the list of attempts.
 */
export interface DeliveryDocument {
	_id: number;
	account_id: string;
	webhook_id: number;
	event_id: string;
	event_type: DeliveredType;
	/** Of the event; 0 for a test */
	sequence: number;
	/** `<webhook>:<event>`: an event comes into a webhook's queue once */
	key: string;
	status: DeliveryStatus;
	/** Queues' time (ms); when the next attempt is due; 0 unless it is pending. Of a first one: as `dueAtOnce` has it */
	due_at: number;
	/** Queues' time (ms); 0 unless it failed */
	failed_at: number;
	/** Attempts since it was queued, or asked for again: where in the schedule it stands */
	made: number;
	revision: number;
	/** The last 20, oldest first */
	attempts: DeliveryAttempt[];
	/** Of a test */
	test: { timestamp: string; data: unknown } | null;
	created_at: string;
}

export type DeliveryModel = Model<DeliveryDocument>;

export const deliveryModel = modelOf<DeliveryDocument>('Delivery', 'deliveries', {
	fields: {
		_id: number,
		account_id: text,
		webhook_id: number,
		event_id: text,
		event_type: text,
		sequence: number,
		key: text,
		status: text,
		due_at: number,
		failed_at: number,
		made: number,
		revision: number,
		attempts: { type: Schema.Types.Mixed, default: [] },
		test: { type: Schema.Types.Mixed, default: null },
		created_at: text,
	},
	unique: { key: { key: 1 } },
	indexes: {
		queue: { account_id: 1, webhook_id: 1, due_at: 1 },
		failed: { account_id: 1, webhook_id: 1, failed_at: 1 },
		listed: { account_id: 1, webhook_id: 1, _id: 1 },
		by_status: { account_id: 1, webhook_id: 1, status: 1, _id: 1 },
		by_type: { account_id: 1, webhook_id: 1, event_type: 1, _id: 1 },
		by_status_and_type: { account_id: 1, webhook_id: 1, status: 1, event_type: 1, _id: 1 },
		backlog: { due_at: 1 },
		age: { created_at: 1 },
	},
});

/** As the store has them */
interface Times {
	clock: Clock;
	time: QueueTime;
}

type Origin = '_id' | 'account_id' | 'webhook_id' | 'event_id' | 'event_type' | 'sequence' | 'test';

/**
 * The `due_at` of a first attempt: an hour ago, so that it is due for every process, also for one that has just come and
 * does not know yet how far the others are.
 * @param now queues' time (ms)
 */
export function dueAtOnce(now: number): number {
	return now - SKEW;
}

/** Queues' time (ms); since when a delivery that is pending is due, or when it will be. */
export function dueSince({ due_at, made }: Pick<DeliveryDocument, 'due_at' | 'made'>): number {
	return made === 0 ? due_at + SKEW : due_at;
}

export function deliveryKey(webhook_id: number, event_id: string): string {
	return `${webhook_id}:${event_id}`;
}

/** One that is queued now, and due. */
export function newDelivery(of: Pick<DeliveryDocument, Origin>, { clock, time }: Times): DeliveryDocument {
	return {
		...of,
		key: deliveryKey(of.webhook_id, of.event_id),
		status: 'pending',
		due_at: dueAtOnce(time.now()),
		failed_at: 0,
		made: 0,
		revision: 1,
		attempts: [],
		created_at: timestamp(clock.now()),
	};
}

/**
 * What the fields become where a delivery is to be sent again, at once, with the whole schedule before it.
 * @param now queues' time (ms)
 */
export function requeued(now: number): Pick<DeliveryDocument, 'status' | 'due_at' | 'failed_at' | 'made'> {
	return { status: 'pending', due_at: dueAtOnce(now), failed_at: 0, made: 0 };
}

/** What the API shows of a delivery; the order of the fields is part of the interface. */
export function toDelivery(document: DeliveryDocument, { time }: Pick<Times, 'time'>): Delivery {
	return {
		id: document._id,
		webhook_id: document.webhook_id,
		event_id: document.event_id,
		event_type: document.event_type,
		sequence: document.sequence === 0 ? null : document.sequence,
		status: document.status,
		attempts: document.attempts,
		next_attempt_at: document.due_at === 0 ? null : timestamp(time.toWall(dueSince(document))),
		created_at: document.created_at,
	};
}
