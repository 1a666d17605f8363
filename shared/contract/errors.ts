import { Errors } from 'moleculer';

/**
 * Every error that a client can see: its `type`, its HTTP status and its text. Whatever is not in this catalogue is a
 * bug and answers 500 `internal error`. `docs/errors.md` lists them, and a test compares.
 */
export const catalogue = {
	invalid_request: { status: 400, text: 'Bad Request' },
	malformed_json: { status: 400, text: 'malformed JSON' },
	cancel_reason_required: { status: 400, text: 'cancel_reason is required' },
	time_slot_full: { status: 400, text: 'time slot is full' },
	duplicate_booking: { status: 400, text: 'duplicate booking' },
	missing_api_key: { status: 401, text: 'missing API key' },
	invalid_api_key: { status: 401, text: 'invalid API key' },
	insufficient_scope: { status: 403, text: 'insufficient scope' },
	account_suspended: { status: 403, text: 'account suspended' },
	not_found: { status: 404, text: 'not found' },
	service_not_found: { status: 404, text: 'service not found' },
	time_slot_not_found: { status: 404, text: 'time slot not found' },
	booking_not_found: { status: 404, text: 'booking not found' },
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
	webhooks_limit_reached: { status: 422, text: 'an account has at most 25 webhooks' },
	webhooks_per_url_reached: { status: 422, text: 'an account has at most 5 enabled webhooks for one URL' },
	rate_limit_exceeded: { status: 429, text: 'rate limit exceeded' },
	plan_limit_exceeded: { status: 429, text: 'the rate limit of your plan is exceeded' },
	headers_too_large: { status: 431, text: 'request headers are too large' },
	internal_error: { status: 500, text: 'internal error' },
	service_unavailable: { status: 503, text: 'service unavailable' },
	gateway_timeout: { status: 504, text: 'gateway timeout' },
} as const satisfies Record<string, { status: number; text: string }>;

export type ErrorType = keyof typeof catalogue;

/** Answers that carry `Retry-After: 1`: trying again soon may well succeed (contract §1). */
const retryAfter: Partial<Record<ErrorType, number>> = { request_in_progress: 1, service_unavailable: 1 };

/** An error of the catalogue. It survives the bus: see `ApiErrorRegenerator`. */
export class ApiError extends Errors.MoleculerError {
	/**
	 * @param text replaces the catalogue's text where the error names what was wrong
	 * @param seconds for the `Retry-After` header, ≥ 1, where the catalogue cannot know them
	 */
	constructor(type: ErrorType, text: string = catalogue[type].text, seconds?: number) {
		super(text, catalogue[type].status, type, { retry_after: seconds ?? retryAfter[type] });
		this.name = 'ApiError';
	}

	/** HTTP status, 400 to 504 */
	get status(): number {
		return this.code;
	}

	/** Seconds for the `Retry-After` header; undefined where the answer carries none */
	get retryAfter(): number | undefined {
		return (this.data as { retry_after?: number }).retry_after;
	}
}

export function isErrorType(type: unknown): type is ErrorType {
	return typeof type === 'string' && Object.hasOwn(catalogue, type);
}

/** Whether `error` is this error of the catalogue. */
export function isError(error: unknown, type: ErrorType): error is ApiError {
	return error instanceof ApiError && error.type === type;
}
