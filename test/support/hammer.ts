import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from './http-client.ts';

/** ms between two requests of a loop: often enough that no token waits for long, seldom enough for two cores */
const PACE = 15;

/** A request, and when it was sent and answered, in ms since the first. */
export interface Attempt {
	from: number;
	to: number;
	status: number;
}

/** Asks the gateways of a client all the time, over some loops, for so many ms from the first answer on. */
export async function hammer(client: Client, ms: number, loops = 4): Promise<Attempt[]> {
	const start = performance.now();
	const attempts: Attempt[] = [];
	const ask = async () => {
		const from = performance.now() - start;
		const { status } = await client.get('/v1/services');
		attempts.push({ from, to: performance.now() - start, status });
	};
	await ask();
	const end = performance.now() + ms;
	const loop = async () => {
		while (performance.now() < end) {
			await ask();
			await delay(PACE);
		}
	};
	await Promise.all(Array.from({ length: loops }, loop));
	return attempts.sort((a, b) => a.from - b.from);
}
