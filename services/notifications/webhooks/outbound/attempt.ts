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
