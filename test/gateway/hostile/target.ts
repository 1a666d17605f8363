import { Agent, request } from 'node:http';
import { Answer } from '../../support/http-client.ts';

const agent = new Agent({ keepAlive: true, maxSockets: 16 });

/** Sends a request whose target stays as it is: no library makes `/v1/services` of `/v1/services/1/..`. */
export function sendTarget(
	url: string,
	method: string,
	target: string,
	headers: Record<string, string | string[]>,
	body?: string | Buffer,
): Promise<Answer> {
	const { hostname, port } = new URL(url);
	const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
	return new Promise((resolve, reject) => {
		const options = { hostname, port, method, path: target, headers: { ...headers, ...length }, agent };
		const sent = request(options, (response) => {
			const chunks: Buffer[] = [];
			response.on('data', (chunk: Buffer) => chunks.push(chunk));
			response.on('error', reject);
			response.on('end', () => {
				const text = Buffer.concat(chunks).toString('utf8');
				resolve(new Answer(`${method} ${target.slice(0, 200)}`, response.statusCode!, response.headers, text));
			});
		});
		sent.on('error', reject);
		sent.end(body);
	});
}
