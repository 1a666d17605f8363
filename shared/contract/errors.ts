import { Errors } from 'moleculer';
import type { Alternative } from './schemas/availability.ts';

/**
 * Every error that a client can see: its name, which is the answer's `code`, its HTTP status and its text. Whatever is not
 * in this catalogue is a bug and answers 500 `internal error`. `docs/errors.md` lists them, and a test compares. Clients
 * compare names: within /v1 they are added, never removed or renamed.
 */
export const catalogue = {
	invalid_request: { status: 400, text: 'Bad Request' },
	malformed_json: { status: 400, text: 'malformed JSON' },
	cancel_reason_required: { status: 400, text: 'cancel_reason is required' },
	time_slot_full: { status: 400, text: 'time slot is full' },
	closed: { status: 400, text: 'time slot is full' },
	notice: { status: 400, text: 'date: too late to book' },
	horizon: { status: 400, text: 'date: too early to book' },
	hold_expired: { status: 400, text: 'hold expired' },
	duplicate_booking: { status: 400, text: 'duplicate booking' },
	missing_api_key: { status: 401, text: 'missing API key' },
	invalid_api_key: { status: 401, text: 'invalid API key' },
	insufficient_scope: { status: 403, text: 'insufficient scope' },
	account_suspended: { status: 403, text: 'account suspended' },
	not_found: { status: 404, text: 'not found' },
	service_not_found: { status: 404, text: 'service not found' },
	time_slot_not_found: { status: 404, text: 'time slot not found' },
	booking_not_found: { status: 404, text: 'booking not found' },
	date_override_not_found: { status: 404, text: 'date override not found' },
	calendar_feed_not_found: { status: 404, text: 'calendar feed not found' },
	webhook_not_found: { status: 404, text: 'webhook not found' },
	delivery_not_found: { status: 404, text: 'delivery not found' },
	method_not_allowed: { status: 405, text: 'method not allowed' },
	request_timeout: { status: 408, text: 'request timeout' },
	version_conflict: { status: 409, text: 'version conflict' },
	request_in_progress: { status: 409, text: 'a request with this Idempotency-Key is in progress' },
	webhook_disabled: { status: 409, text: 'webhook is disabled' },
	events_expired: { status: 410, text: 'events expired' },
	version_mismatch: { status: 412, text: 'version conflict' },
	body_too_large: { status: 413, text: 'request body is too large' },
	unsupported_media_type: { status: 415, text: 'Content-Type must be application/json' },
	unprocessable: { status: 422, text: 'Unprocessable Entity' },
	idempotency_key_reused: { status: 422, text: 'this Idempotency-Key was used for another request' },
	services_limit_reached: { status: 422, text: 'the services limit of your plan is reached' },
	date_overrides_limit_reached: { status: 422, text: 'a service has at most 1000 date overrides' },
	calendar_feeds_limit_reached: { status: 422, text: 'a service has at most 10 calendar feeds' },
	webhooks_limit_reached: { status: 422, text: 'an account has at most 25 webhooks' },
	webhooks_per_url_reached: { status: 422, text: 'an account has at most 5 enabled webhooks for one URL' },
	calendar_feed_rate_limit_exceeded: { status: 429, text: 'a calendar feed is read once a minute' },
	booking_rate_limit_exceeded: { status: 429, text: 'rate limit exceeded' },
	rate_limit_exceeded: { status: 429, text: 'the rate limit of your plan is exceeded' },
	headers_too_large: { status: 431, text: 'request headers are too large' },
	internal_error: { status: 500, text: 'internal error' },
	service_unavailable: { status: 503, text: 'service unavailable' },
	gateway_timeout: { status: 504, text: 'gateway timeout' },
} as const satisfies Record<string, { status: number; text: string }>;

export type ErrorType = keyof typeof catalogue;

/** What can be wrong with a field. Like the names of errors, these are added, never removed or renamed. */
export const faultCodes = [
	'required',
	'unknown',
	'repeated',
	'wrong_type',
	'wrong_format',
	'wrong_length',
	'out_of_range',
	'not_one_of',
	'not_allowed',
	'read_only',
	'contradiction',
	'wrong_weekday',
	'outside_validity',
	'unknown_time_zone',
] as const;

export type FaultCode = (typeof faultCodes)[number];

/** What is wrong with one field of a request. */
export interface Fault {
	/** Such as `page_size` or `time_slots[3].end_time`; a header by its name; `body` or `query` where it is all of it */
	field: string;
	code: FaultCode;
	/** To be read after the field, such as `must be an integer from 1 to 1000` */
	message: string;
}

/** Answers that carry `Retry-After: 1`: trying again soon may well succeed (contract §1). */
const retryAfter: Partial<Record<ErrorType, number>> = { request_in_progress: 1, service_unavailable: 1 };

/** Errors that are about one field, whatever their text. */
const faultsOf: Partial<Record<ErrorType, readonly Fault[]>> = {
	cancel_reason_required: [{ field: 'cancel_reason', code: 'required', message: 'is required' }],
};

interface Data {
	retry_after: number | undefined;
	faults: readonly Fault[] | undefined;
	alternatives?: readonly Alternative[];
}

/** An error of the catalogue. It survives the bus: see `ApiErrorRegenerator`. */
export class ApiError extends Errors.MoleculerError {
	/**
	 * @param text replaces the catalogue's text where the error names what was wrong
	 * @param seconds for the `Retry-After` header, ≥ 1, where the catalogue cannot know them
	 * @param faults of the fields that the text names
	 */
	constructor(type: ErrorType, text: string = catalogue[type].text, seconds?: number, faults?: readonly Fault[]) {
		const data: Data = { retry_after: seconds ?? retryAfter[type], faults: faults ?? faultsOf[type] };
		super(text, catalogue[type].status, type, data);
		this.name = 'ApiError';
	}

	/**
	 * A refusal whose text names each field.
	 * @param faults at least one
	 * @param further how many there are beyond these
	 */
	static naming(type: 'invalid_request' | 'unprocessable', faults: readonly Fault[], further = 0): ApiError {
		const texts = faults.map(({ field, message }) => `${field}: ${message}`);
		if (further > 0) texts.push(`and ${further} more`);
		return new ApiError(type, texts.join('; '), undefined, faults);
	}

	/** HTTP status, 400 to 504 */
	get status(): number {
		return this.code;
	}

	/** Seconds for the `Retry-After` header; undefined where the answer carries none */
	get retryAfter(): number | undefined {
		return (this.data as Data).retry_after;
	}

	/** The same refusal, with what can be booked instead. */
	withAlternatives(alternatives: readonly Alternative[]): ApiError {
		const error = new ApiError(this.type as ErrorType, this.message, this.retryAfter, this.faults);
		Object.assign(error.data as Data, { alternatives });
		return error;
	}

	/** Undefined where nobody asked for any */
	get alternatives(): readonly Alternative[] | undefined {
		return (this.data as Data).alternatives;
	}

	/** Undefined where it names no field */
	get faults(): readonly Fault[] | undefined {
		return (this.data as Data).faults;
	}
}

export function isErrorType(type: unknown): type is ErrorType {
	return typeof type === 'string' && Object.hasOwn(catalogue, type);
}

/** Whether `error` is this error of the catalogue. */
export function isError(error: unknown, type: ErrorType): error is ApiError {
	return error instanceof ApiError && error.type === type;
}
