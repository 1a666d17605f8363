import type { Span } from '@opentelemetry/api';
import { asApiError } from '../bus/call.ts';
import { ApiError } from '../contract/errors.ts';
import { isDuplicateKey, isUnavailable } from '../store/write-errors.ts';

const ERROR = 2; // SpanStatusCode.ERROR, whose module is loaded only where traces are on

/**
 * Why the work of a span failed: by a name, never by the error's message, which may quote a document. A refusal is no
 * failure: a full slot is how a booking is decided.
 */
export function noteError(span: Span, error: unknown): void {
	const known = asApiError(error);
	if (known instanceof ApiError && known.status < 500) span.setAttribute('slotwise.refusal', known.type);
	else if (isDuplicateKey(error)) span.setAttribute('slotwise.refusal', 'duplicate_key');
	else fail(span, nameOf(known));
}

/** @param type of a small set: a status, the name of an error */
export function fail(span: Span, type: string): void {
	span.setAttribute('error.type', type);
	span.setStatus({ code: ERROR });
}

function nameOf(error: unknown): string {
	if (error instanceof ApiError) return error.type;
	if (isUnavailable(error)) return 'unavailable';
	return error instanceof Error ? error.name : 'unknown';
}
