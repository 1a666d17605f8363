/** One try to deliver a message, as it is kept and shown. */
export interface Attempt {
	/** When it began, ISO 8601 */
	at: string;
	/** ms */
	duration: number;
	/** Of the answer; null where there was none */
	status: number | null;
	/** Why there is no complete answer, for the customer's eyes; null where there is one, whatever its status */
	error: string | null;
	/** Seconds that the answer's Retry-After asks for, ≥ 0; null where it asks for none */
	retry_after: number | null;
}

/** Any complete answer with 2xx; a redirect is none (contract §8). */
export function isDelivered({ status, error }: Attempt): boolean {
	return error === null && status !== null && status >= 200 && status < 300;
}

/**
 * Seconds that a `Retry-After` header asks for: a number of seconds or a date (RFC 9110 §10.2.3). A date is compared with
 * the one at which the endpoint says that it answered, because our clock may differ from its own.
 * @param answered the answer's `Date` header
 * @param now ms since the Unix epoch; goes where the answer has no date
 * @returns ≥ 0; null if there is none, or it cannot be read
 */
export function retryAfterSeconds(
	header: string | undefined,
	answered: string | undefined,
	now: number,
): number | null {
	if (header === undefined) return null;
	if (/^\d{1,9}$/.test(header)) return Number(header);
	const date = parseDate(header);
	if (Number.isNaN(date)) return null;
	const from = parseDate(answered);
	return Math.max(0, Math.ceil((date - (Number.isNaN(from) ? now : from)) / 1_000));
}

/** @returns ms since the Unix epoch; NaN where it is no date */
function parseDate(header = ''): number {
	return header.endsWith(' GMT') ? Date.parse(header) : Number.NaN;
}
