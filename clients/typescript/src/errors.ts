import type { ErrorCode, FaultCode, ServiceAvailabilityEntry } from './api.ts';

/** What is wrong with one field. */
export interface Fault {
	/** Such as `time_slots[3].end_time`; a header by its name; `body` or `query` where it is all of it */
	field: string;
	code: FaultCode | (string & {});
	/** What would be right, to be read after the field */
	message: string;
}

/** What can be booked instead. */
export type Alternative = Pick<
	ServiceAvailabilityEntry,
	'service_id' | 'time_slot_id' | 'date' | 'starts_at' | 'ends_at' | 'remaining'
>;

/** A body of a failure, as far as it could be read. */
export interface FailureBody {
	error?: string | { message?: string };
	code?: string;
	faults?: Fault[];
	alternatives?: Alternative[];
}

/** Codes that are known by now, for the editor; others may come. */
export type Code = ErrorCode | (string & {});

/** The API refused: what it was asked for did not happen, unless `status` is 500 or more. Decide by `code`. */
export class SlotwiseError extends Error {
	override readonly name = 'SlotwiseError';
	readonly status: number;
	readonly code: Code;
	/** Field by field, where fields are what is wrong */
	readonly faults: readonly Fault[];
	/** What can be booked instead, where `alternatives` asked for it */
	readonly alternatives: readonly Alternative[];
	/** Seconds after which the same request may succeed */
	readonly retryAfter: number | undefined;
	/** What the server's log calls the request */
	readonly requestId: string | undefined;

	constructor(status: number, body: FailureBody, retryAfter?: number, requestId?: string) {
		const { error, code = 'unknown', faults = [], alternatives = [] } = body;
		super((typeof error === 'string' ? error : error?.message) ?? `the server answered ${status}`);
		this.status = status;
		this.code = code;
		this.faults = faults;
		this.alternatives = alternatives;
		this.retryAfter = retryAfter;
		this.requestId = requestId;
	}
}

/** No answer came, or not all of one: nobody knows whether a change was made. `cause` says why. */
export class ConnectionError extends Error {
	override readonly name = 'ConnectionError';
}
