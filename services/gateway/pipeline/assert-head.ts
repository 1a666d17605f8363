import type { IncomingMessage } from 'node:http';
import { ApiError } from '../../../shared/contract/errors.ts';
import { MAX_HEADERS } from '../server/http-server.ts';

/** A name or an address, and a port (RFC 9110 §7.2, RFC 3986 §3.2.2) */
const HOST = /^[\w.~!$&'()*+,;=%:[\]-]*$/;

/**
 * A request has one Host: HTTP/1.1 demands it (RFC 9112 §3.2), and with two of them who is in front may have read the other.
 * Node would refuse one without, too, but with an empty body; it takes several.
 * @throws invalid_request, headers_too_large
 */
export function assertHead({ rawHeaders, headers, httpVersionMinor }: IncomingMessage): void {
	if (rawHeaders.length > 2 * MAX_HEADERS) throw new ApiError('headers_too_large');
	let hosts = 0;
	for (let at = 0; at < rawHeaders.length; at += 2) {
		const name = rawHeaders[at]!;
		if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
	}
	const isRight = hosts === 1 ? HOST.test(headers.host!) : hosts === 0 && httpVersionMinor === 0;
	if (!isRight) throw new ApiError('invalid_request');
}
