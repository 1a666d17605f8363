import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '../../../shared/errors.ts';

const JSON_TYPE = /^application\/json[ \t]*(?:;|$)/i;

/** A body may come in chunks of a byte; after so many of them others have their turn. */
const CHUNKS_A_TURN = 1_000;

/** The client closed its connection before the body was there: nobody is left to answer. */
export class ClientGone extends Error {}

/**
 * The bytes of a request's body. A body that is declared too large is refused before a byte of it is read, and a client
 * that asks first (`Expect: 100-continue`) is told to go on only now. A slow one is cut off by the server's limits.
 * @param limit bytes
 * @throws unsupported_media_type, body_too_large, ClientGone
 */
export async function readBody(request: IncomingMessage, response: ServerResponse, limit: number): Promise<Buffer> {
	assertJson(request);
	if (Number(request.headers['content-length']) > limit) throw new ApiError('body_too_large');
	if (request.headers.expect?.toLowerCase() === '100-continue') response.writeContinue();
	if (request.readableEnded) return Buffer.alloc(0); // no header tells of a body, so Node has not waited for one
	return collect(request, limit);
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
function collect(request: IncomingMessage, limit: number): Promise<Buffer> {
	return new Promise((resolve, reject) => {
		const chunks: Buffer[] = [];
		let size = 0;
		let count = 0;
		request.on('data', (chunk: Buffer) => {
			if (++count % CHUNKS_A_TURN === 0) {
				request.pause();
				setImmediate(() => request.resume());
			}
			size += chunk.length;
			if (size <= limit) chunks.push(chunk);
			else reject(new ApiError('body_too_large'));
		});
		request.once('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
		request.once('close', () => {
			if (!request.readableEnded) reject(new ClientGone());
		});
	});
}
