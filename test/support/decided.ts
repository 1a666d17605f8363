import type { Answer } from './http-client.ts';
import { type Patience, until } from './until.ts';

/** Reads again what a busy machine did not answer within the time that a request may take. */
export function decided<T>(read: () => Promise<Answer<T>>, patience?: Patience): Promise<Answer<T>> {
	return until(async () => {
		const answer = await read();
		return [503, 504].includes(answer.status) ? undefined : answer;
	}, patience);
}
