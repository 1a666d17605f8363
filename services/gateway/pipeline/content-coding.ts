import type { Reading } from '../../../shared/work/reading.ts';
import { type Answer, giveBack } from './answer.ts';
import { compress } from './compress.ts';
import type { Exchange } from './exchange.ts';

/** Bytes of an answer up to which it is sent as it is: it fits a packet anyway */
const SMALL = 1_024;
/** Of UTF-8, for a unit of a text */
const MOST_BYTES = 3;

/**
 * An answer in the coding that its client asks for (RFC 9110 §12.5.3): compressed, where it is worth it. Its `ETag` stays, for
 * it is the version that `If-Match` compares, whatever the coding (docs/adr/0034).
 * @param reading whose result it is, where it only read: compressing it ends when nobody waits any more
 * @throws gateway_timeout where nobody does
 */
export function coded(answer: Answer, exchange: Exchange, reading?: Reading): Answer | Promise<Answer> {
	const { status, body } = answer;
	if (body === undefined) return status === 304 ? varying(answer, exchange) : answer;
	if (isSmall(body)) return answer;
	const plain = varying(answer, exchange);
	if (!acceptsGzip(exchange.request.headers['accept-encoding'] as string | undefined)) return plain;
	const gzipped = compress(body, exchange.accountId, reading);
	return gzipped instanceof Promise
		? gzipped.then((bytes) => {
				if (typeof body !== 'string') giveBack(body);
				return inGzip(plain, bytes);
			})
		: inGzip(plain, gzipped);
}

function isSmall(body: string | Buffer): boolean {
	if (body.length > SMALL) return false; // no unit has less than a byte
	return MOST_BYTES * body.length <= SMALL || Buffer.byteLength(body) <= SMALL;
}

/** Where answers also differ by `Origin`, both are named. A 304 says what the whole answer would (RFC 9110 §15.4.5). */
function varying(answer: Answer, { headers }: Exchange): Answer {
	const Vary = headers.Vary === undefined ? 'Accept-Encoding' : `${headers.Vary}, Accept-Encoding`;
	return { ...answer, headers: { ...answer.headers, Vary } };
}

function inGzip(plain: Answer, body: Buffer): Answer {
	return { ...plain, headers: { ...plain.headers, 'Content-Encoding': 'gzip' }, body, isOwn: true };
}

const WEIGHT = /^(?:0(?:\.\d{0,9})?|1(?:\.0{0,9})?)$/;

/**
 * Whether gzip is acceptable, and no less welcome than the bytes as they are. Each entry is cut and trimmed, not matched as a
 * whole: the header has up to 16 KiB, and a pattern that may go back in it takes seconds. An entry that is malformed means
 * nothing.
 */
export function acceptsGzip(acceptEncoding = ''): boolean {
	if (acceptEncoding === '') return false;
	const weights = new Map<string, number>();
	for (const entry of acceptEncoding.split(',')) {
		const [coding = '', weight, more] = entry.split(';', 3);
		const q = weight === undefined ? 1 : weightOf(weight.trim());
		if (q !== undefined && more === undefined) weights.set(coding.trim().toLowerCase(), q);
	}
	const others = weights.get('*');
	const gzip = weights.get('gzip') ?? weights.get('x-gzip') ?? others ?? 0;
	return gzip > 0 && gzip >= (weights.get('identity') ?? others ?? 0);
}

/** Undefined where it is none. */
function weightOf(parameter: string): number | undefined {
	const text = /^q=/i.test(parameter) ? parameter.slice(2) : '';
	return WEIGHT.test(text) ? Number(text) : undefined;
}
