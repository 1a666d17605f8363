import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

export interface Outcome {
	/** Status, and the error's text where there is one */
	word: string;
	/** How often it was sent: again for as long as it was not decided */
	times: number;
}

/** What an overloaded machine answers, no answer, and a repetition that meets its first one at work: not yet decided */
const UNDECIDED = /^(408|409|503|504|[^2-5])/;
/** ms for which a creation is repeated */
const PATIENCE = 120_000;

/**
 * Sends `count` creations at once, each on a connection of its own, to the gateways in turn. One that was not decided is
 * sent again with its idempotency key, as clients do, to the next gateway.
 */
export async function burst(urls: string[], key: string, count: number, body: object): Promise<Outcome[]> {
	const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
	const text = JSON.stringify(body);
	const end = performance.now() + PATIENCE;
	const decide = async (number: number): Promise<Outcome> => {
		const headers = {
			authorization: `Bearer ${key}`,
			'content-type': 'application/json',
			'content-length': Buffer.byteLength(text),
			'idempotency-key': randomUUID(),
		};
		for (let times = 1; ; times++) {
			const word = await send(`${urls[(number + times - 1) % urls.length]}/v1/bookings`, headers, text, agent);
			if (!UNDECIDED.test(word) || performance.now() > end) return { word, times };
			await delay(500 + Math.random() * 500);
		}
	};
	try {
		return await Promise.all(Array.from({ length: count }, (_, number) => decide(number)));
	} finally {
		agent.destroy();
	}
}

function send(url: string, headers: Record<string, string | number>, text: string, agent: Agent): Promise<string> {
	return new Promise((resolve) => {
		const sent = request(url, { method: 'POST', headers, agent, timeout: 20_000 }, (response) => {
			let answer = '';
			response.setEncoding('utf8');
			response.on('data', (piece: string) => {
				answer += piece;
			});
			response.on('error', (error) => resolve(error.message));
			response.on('end', () => {
				const { error } = JSON.parse(answer) as { error?: string };
				resolve(error === undefined ? String(response.statusCode) : `${response.statusCode} ${error}`);
			});
		});
		sent.on('error', (error) => resolve(error.message));
		sent.on('timeout', () => sent.destroy(new Error('no answer within 20 s')));
		sent.end(text);
	});
}
