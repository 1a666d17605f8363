import { Agent, request } from 'node:http';

export interface Outcome {
	/** Status, and the error's text where there is one */
	word: string;
	ms: number;
}

/** Sends `count` creations at once, each on a connection of its own, to the gateways in turn. */
export async function burst(urls: string[], key: string, count: number, body: object): Promise<Outcome[]> {
	const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
	const text = JSON.stringify(body);
	try {
		return await Promise.all(
			Array.from({ length: count }, (_, number) => send(`${urls[number % urls.length]}/v1/bookings`, key, text, agent)),
		);
	} finally {
		agent.destroy();
	}
}

function send(url: string, key: string, text: string, agent: Agent): Promise<Outcome> {
	const since = performance.now();
	return new Promise((resolve) => {
		const end = (word: string) => resolve({ word, ms: performance.now() - since });
		const headers = {
			authorization: `Bearer ${key}`,
			'content-type': 'application/json',
			'content-length': Buffer.byteLength(text),
		};
		const sent = request(url, { method: 'POST', headers, agent, timeout: 20_000 }, (response) => {
			let answer = '';
			response.setEncoding('utf8');
			response.on('data', (piece: string) => {
				answer += piece;
			});
			response.on('end', () => {
				const { error } = JSON.parse(answer) as { error?: string };
				end(error === undefined ? String(response.statusCode) : `${response.statusCode} ${error}`);
			});
		});
		sent.on('error', (error) => end(error.message));
		sent.on('timeout', () => sent.destroy(new Error('no answer within 20 s')));
		sent.end(text);
	});
}
