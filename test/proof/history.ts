import type {
	Booking,
	CreateBooking,
	Customer,
	UpdateBooking,
	UpdateCustomer,
} from '../../shared/contract/schemas/booking.ts';
import type { BookingEvent } from '../../shared/contract/schemas/event.ts';
import type { TimeSlotInput } from '../../shared/contract/schemas/time-slot.ts';

/** What a client asked for. The paths and bodies are the API's. */
export type Asked =
	| { kind: 'create service'; body: { time_slots: TimeSlotInput[] } }
	| { kind: 'list slots'; service_id: number }
	/** `service_id`: as a new schedule of this service, whose only slot it is */
	| { kind: 'update slots'; body: { time_slots: { id: number; max_bookings: number }[] }; service_id?: number }
	| { kind: 'delete service'; service_id: number }
	| { kind: 'create'; body: CreateBooking; key?: string }
	| { kind: 'update'; booking_id: number; body: UpdateBooking }
	| { kind: 'update customer'; booking_id: number; body: UpdateCustomer }
	| { kind: 'delete'; booking_id: number }
	| { kind: 'get'; booking_id: number }
	| { kind: 'list'; service_id: number; page_size: number }
	| { kind: 'availability'; service_id: number; from: string; to: string }
	| { kind: 'events'; after: number }
	/** A request that names another account's ids */
	| { kind: 'trespass'; on: string; tried: Exclude<Asked, { kind: 'trespass' }> };
export type Kind = Asked['kind'];

/** What came back. */
export interface Answered {
	status: number;
	/** `data` of a success */
	data?: unknown;
	/** `error` of a refusal */
	error?: string;
	/** Of the `ETag` */
	version?: number;
	/** `Idempotent-Replayed` */
	replayed?: boolean;
}

/**
 * `ok`: a success. `fail`: a refusal, which changed nothing. `unknown`: no answer, or a 5xx; it may have happened, it may
 * still happen, or never.
 */
export type Outcome = 'ok' | 'fail' | 'unknown';

/** A line of a history's file. Times are ms of one monotonic clock. */
export type Line =
	| { line: 'run'; seed: number; form: string; started: string }
	| { line: 'invoke'; op: number; client: number; account: string; time: number; asked: Asked }
	| { line: Outcome; op: number; time: number; answered?: Answered; reason?: string }
	/** A fault that the harness began or ended. */
	| { line: 'fault'; time: number; fault: string }
	| ({ line: 'final' } & Omit<FinalState, 'customers'>)
	/** The account's part of the customers' directory, once the final state was read. */
	| { line: 'directory'; account: string; customers: DirectoryRecord[] };

/** What the API shows of an account once nothing is under way any more. */
export interface FinalState {
	account: string;
	/** Before the first read of it, ms */
	time: number;
	/** After the last read of it, ms */
	until: number;
	/** Services that are there */
	services: number[];
	/** Every booking of every service that is there */
	bookings: Booking[];
	/** The whole feed */
	events: BookingEvent[];
	/** What the store has of it in the customers' directory; undefined where nobody looked */
	customers?: DirectoryRecord[];
}

/** What the directory has of one booking. */
export interface DirectoryRecord {
	booking_id: number;
	/** Of the booking */
	version: number;
	/** null where the booking was deleted */
	customer: Customer | null;
}

/** One operation of a client, from its invocation to what it learnt. */
export interface Operation {
	op: number;
	client: number;
	account: string;
	asked: Asked;
	/** Before the first byte was sent */
	from: number;
	/** After the last byte came; Infinity where no answer came */
	to: number;
	outcome: Outcome;
	answered: Answered | undefined;
	/** When the client gave up; where an answer came it is `to` */
	ended: number;
}

export type OperationOf<K extends Kind> = Operation & { asked: Extract<Asked, { kind: K }> };

/** The history of one account: what its clients saw, and what is there in the end. */
export interface History {
	account: string;
	operations: Operation[];
	final: FinalState;
}

export function isKind<K extends Kind>(operation: Operation, kind: K): operation is OperationOf<K> {
	return operation.asked.kind === kind;
}

export function ofKind<K extends Kind>(operations: readonly Operation[], kind: K): OperationOf<K>[] {
	return operations.filter((operation) => isKind(operation, kind)) as OperationOf<K>[];
}

/** Refusals and successes by status: a 5xx leaves open what happened. */
export function outcomeOf(status: number): Outcome {
	if (status < 400) return 'ok';
	return status < 500 ? 'fail' : 'unknown';
}
