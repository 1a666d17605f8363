import { randomUUID } from 'node:crypto';

const ACCEPTED = /^[A-Za-z0-9._-]{1,128}$/;

/** The client's own id where it is harmless in a log line and a header, else a new one. */
export function requestIdOf(header: string | string[] | undefined): string {
	return typeof header === 'string' && ACCEPTED.test(header) ? header : randomUUID();
}
