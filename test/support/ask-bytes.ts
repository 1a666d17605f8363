import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request as send } from 'node:http';
import { gunzipSync } from 'node:zlib';
import type { Client } from './http-client.ts';

/** An answer as it came, byte by byte, and what its bytes say. */
export interface Bytes {
	status: number;
	headers: IncomingHttpHeaders;
	bytes: Buffer;
	/** Without its coding */
	text: string;
}

export interface AskBytes {
	method?: string;
	/** `Accept-Encoding`; none: the header is not sent */
	accept?: string;
	headers?: OutgoingHttpHeaders;
	body?: string;
}

/** Asks with the client's key, as a client does that says what codings it takes. */
export function askBytes(client: Client, path: string, asked: AskBytes = {}): Promise<Bytes> {
	const { method = 'GET', accept, body } = asked;
	const headers: OutgoingHttpHeaders = { ...asked.headers };
	if (client.key !== undefined) headers.authorization = `Bearer ${client.key}`;
	if (accept !== undefined) headers['accept-encoding'] = accept;
	if (body !== undefined) headers['content-type'] = 'application/json';
	return new Promise((resolve, reject) => {
		const request = send(new URL(path, client.url), { method, headers }, (response) => {
			const chunks: Buffer[] = [];
			response.on('data', (chunk: Buffer) => chunks.push(chunk));
			response.on('error', reject);
			response.on('end', () => {
				const bytes = Buffer.concat(chunks);
				const isCoded = response.headers['content-encoding'] === 'gzip' && bytes.length > 0;
				const text = (isCoded ? gunzipSync(bytes) : bytes).toString();
				resolve({ status: response.statusCode!, headers: response.headers, bytes, text });
			});
		});
		request.on('error', reject);
		request.end(body);
	});
}
