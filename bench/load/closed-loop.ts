import { Connection } from './connection.ts';
import { type Figures, Tally } from './figures.ts';
import { type Recipe, requestsOf } from './recipes.ts';

export interface ClosedLoad {
	url: string;
	/** API key; none where the server asks for none */
	key?: string;
	recipe: Recipe;
	clients: number;
	seconds: number;
}

/**
 * Throughput: each client, on a connection of its own, sends its next request when it has its answer. Answers that come
 * after `seconds` are waited for, and neither they nor the time they take count.
 */
export async function closedLoop({ url, key, recipe, clients, seconds }: ClosedLoad): Promise<Figures> {
	const { next, answered } = requestsOf(recipe, url, key);
	const tally = new Tally();
	const end = performance.now() + seconds * 1_000;
	let sent = 0;
	let figures: Figures | undefined;
	await Promise.all(
		Array.from({ length: clients }, () => {
			const connection = new Connection(url);
			return new Promise<void>((resolve) => {
				const send = () => {
					const began = performance.now();
					if (began >= end) {
						figures ??= tally.figures(seconds);
						connection.close();
						return resolve();
					}
					const n = sent++;
					connection.send(next(n), (status, body) => {
						const now = performance.now();
						if (now < end) tally.add(status, now - began);
						else tally.late++;
						answered?.(n, status, body);
						if (status === 0)
							setTimeout(send, 10); // a server that refuses connections is not stormed
						else send();
					});
				};
				send();
			});
		}),
	);
	return { ...figures!, late: tally.late };
}
