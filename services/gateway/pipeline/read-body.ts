import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '../../../shared/contract/errors.ts';
import type { Holding } from '../admission/held-memory.ts';

const JSON_TYPE = /^application\/json[ \t]*(?:;|$)/i;

/** Bytes; smaller chunks are copied together, because each one costs hundreds of bytes beside its content */
const SMALL_CHUNK = 1_024;
/**
 * Chunks of less than so many bytes that a body may come in. Each costs some microseconds, whatever is in it: a body of
 * 256 KiB in chunks of a byte would keep the process for seconds. Who writes JSON token by token stays far below.
 */
const TINY_CHUNK = 64;
const MOST_TINY = 1_000;

/** The client closed its connection before the body was there: nobody is left to answer. */
export class ClientGone extends Error {}

/**
 * The bytes of a request's body. A body that is declared too large is refused before a byte of it is read, and a client
 * that asks first (`Expect: 100-continue`) is told to go on only now. A slow one is cut off by the server's limits. One
 * in too many tiny chunks is refused, and the connection ends with the answer.
 * @param limit bytes
 * @param hold is told of all that is kept meanwhile; what it is given is called where that is too much
 * @throws unsupported_media_type, body_too_large, service_unavailable, ClientGone
 */
export async function readBody(
	request: IncomingMessage,
	response: ServerResponse,
	limit: number,
	hold: (giveUp: () => void) => Holding,
): Promise<Buffer> {
	assertJson(request);
	if (Number(request.headers['content-length']) > limit) throw new ApiError('body_too_large');
	if (request.headers.expect?.toLowerCase() === '100-continue') response.writeContinue();
	if (request.readableEnded) return Buffer.alloc(0); // no header tells of a body, so Node has not waited for one
	return collect(request, response, limit, hold);
}

function assertJson({ headers }: IncomingMessage): void {
	const type = headers['content-type'];
	const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0;
	if (type === undefined ? hasBody : !JSON_TYPE.test(type)) throw new ApiError('unsupported_media_type');
	const encoding = headers['content-encoding'];
	if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
		throw new ApiError('unsupported_media_type', 'Content-Encoding must not be set');
	}
}

/** What comes beyond the limit is thrown away: an answer that closes the connection under a sender is often lost. */
function collect(
	request: IncomingMessage,
	response: ServerResponse,
	limit: number,
	hold: (giveUp: () => void) => Holding,
): Promise<Buffer> {
	const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
	let chunks: Chunks | undefined = new Chunks();
	const holding = hold(() => fail(new ApiError('service_unavailable')));
	const fail = (error: Error) => {
		chunks = undefined;
		holding.release();
		reject(error);
	};
	request.on('data', (chunk: Buffer) => {
		if (chunks === undefined) return;
		chunks.add(chunk);
		if (chunks.tiny > MOST_TINY) {
			response.shouldKeepAlive = false; // what is still to come would cost as much again
			fail(new ApiError('body_too_large', 'request body comes in too many small chunks'));
		} else if (chunks.size > limit) fail(new ApiError('body_too_large'));
		else holding.grow(chunk.length);
	});
	request.once('end', () => {
		holding.release();
		if (chunks !== undefined) resolve(chunks.whole());
	});
	request.once('close', () => {
		if (!request.readableEnded) fail(new ClientGone());
	});
	return promise;
}

/** Chunks of any size, kept in little more memory than they have bytes. */
class Chunks {
	size = 0;
	/** How many had next to nothing in them */
	tiny = 0;
	readonly #large: Buffer[] = [];
	#small = Buffer.alloc(0);
	#smallSize = 0;

	add(chunk: Buffer): void {
		this.size += chunk.length;
		if (chunk.length < TINY_CHUNK) this.tiny++;
		if (chunk.length >= SMALL_CHUNK || this.size === chunk.length) {
			this.#closeSmall();
			this.#large.push(chunk);
			return;
		}
		if (this.#smallSize + chunk.length > this.#small.length) {
			this.#closeSmall();
			this.#small = Buffer.allocUnsafeSlow(4 * SMALL_CHUNK);
		}
		this.#smallSize += chunk.copy(this.#small, this.#smallSize);
	}

	whole(): Buffer {
		this.#closeSmall();
		return this.#large.length === 1 ? this.#large[0]! : Buffer.concat(this.#large);
	}

	#closeSmall(): void {
		if (this.#smallSize > 0) this.#large.push(this.#small.subarray(0, this.#smallSize));
		this.#small = this.#small.subarray(this.#smallSize);
		this.#smallSize = 0;
	}
}
