/**
 * Seconds that a `Retry-After` header asks for: a number of seconds or a date (RFC 9110 §10.2.3).
 * @param now ms since the Unix epoch
 * @returns ≥ 0; null where there is none, or none that can be read
 */
export function retryAfterSeconds(header: string | undefined, now: number): number | null {
	if (header === undefined) return null;
	if (/^\d{1,9}$/.test(header)) return Number(header);
	const date = header.endsWith(' GMT') ? Date.parse(header) : Number.NaN;
	return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - now) / 1_000));
}
