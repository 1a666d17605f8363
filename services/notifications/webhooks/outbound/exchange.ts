import type { ClientRequest, IncomingMessage } from 'node:http';
import { type RequestOptions, request as requestByTls } from 'node:https';
import { isIP, type LookupFunction, type TcpNetConnectOpts } from 'node:net';
import { http } from '../../../../shared/http/http.ts';
import { DeliveryFailure } from './delivery-failure.ts';
import type { Target } from './read-target.ts';

/** Bytes of an answer that are read; then the connection is dropped (promise W4) */
const READ_LIMIT = 65_536;
/** Bytes of the answer's headers */
const HEADER_LIMIT = 16_384;
/** Of a name's addresses, per family, that are tried one after another */
const ADDRESSES_TRIED = 2;
/** ms until the next address is tried as well; Node's 250 ms is less than many a way around the world and back */
const NEXT_ADDRESS_AFTER = 2_000;

/** Node hands the connection's own options on; its types lack two of them */
type Options = RequestOptions & Pick<TcpNetConnectOpts, 'autoSelectFamily' | 'autoSelectFamilyAttemptTimeout'>;

export interface Answer {
	status: number | null;
	retryAfter: string | undefined;
	/** The `Date` header */
	date: string | undefined;
	/** Why the answer is not complete; undefined where it is, or its first 64 KiB are */
	failure: unknown;
}

/**
 * POSTs a body and reads the answer, on a connection of its own that leads to one of `addresses` and nowhere else: no
 * name is looked up here, no redirect is followed, no proxy of the environment is used. Never rejects.
 *
 * @param addresses of the target, judged by the caller
 * @param signal ends it, with the signal's reason as the failure
 */
export function exchange(
	{ url, host }: Target,
	addresses: string[],
	headers: Record<string, string>,
	body: string,
	signal: AbortSignal,
): Promise<Answer> {
	return new Promise((resolve) => {
		const answer: Answer = { status: null, retryAfter: undefined, date: undefined, failure: undefined };
		let request: ClientRequest | undefined;
		let ended = false;
		const end = (failure?: unknown) => {
			if (ended) return;
			ended = true;
			signal.removeEventListener('abort', abort);
			answer.failure = failure;
			resolve(answer);
			request?.destroy();
		};
		const abort = () => end(signal.reason);
		if (signal.aborted) return abort();
		signal.addEventListener('abort', abort);
		const options: Options = {
			method: 'POST',
			host,
			port: url.port,
			path: `${url.pathname}${url.search}`,
			headers: { ...headers, 'content-length': Buffer.byteLength(body) },
			agent: false, // a new connection each time: what was judged once may lead elsewhere the next time
			lookup: only(addresses),
			autoSelectFamily: true,
			autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER,
			maxHeaderSize: HEADER_LIMIT,
			rejectUnauthorized: true, // also where NODE_TLS_REJECT_UNAUTHORIZED says otherwise
		};
		try {
			request = (url.protocol === 'https:' ? requestByTls : http.request)(options);
			hear(request, answer, end);
			request.end(body);
		} catch (error) {
			end(error);
		}
	});
}

/** In place of a look-up. Node asks it unless `host` is an address itself. */
function only(addresses: string[]): LookupFunction {
	const of = (family: 4 | 6) => addresses.filter((address) => isIP(address) === family).slice(0, ADDRESSES_TRIED);
	const tried = [
		...of(4).map((address) => ({ address, family: 4 })),
		...of(6).map((address) => ({ address, family: 6 })),
	];
	return (_name, _options, callback) => callback(null, tried);
}

/** Calls `end` once the answer is complete, long enough, or broken. */
function hear(request: ClientRequest, answer: Answer, end: (failure?: unknown) => void): void {
	const closed = () => end(new DeliveryFailure('the connection was closed before the answer was complete'));
	request.on('error', end);
	request.on('close', closed);
	request.on('information', () => {
		if ((request.socket?.bytesRead ?? 0) > READ_LIMIT) end(new DeliveryFailure('the answer does not begin'));
	});
	request.on('upgrade', (response: IncomingMessage) => {
		answer.status = response.statusCode ?? null;
		end();
	});
	request.on('response', (response: IncomingMessage) => {
		answer.status = response.statusCode ?? null;
		answer.retryAfter = response.headers['retry-after'];
		answer.date = response.headers.date;
		let read = 0;
		response.on('data', (chunk: Buffer) => {
			read += chunk.length;
			if (read >= READ_LIMIT) end();
		});
		response.on('end', () => end());
		response.on('error', end);
	});
}
