import type { Answer } from './http-client.ts';
import { until } from './until.ts';

/**
 * Asks again for what a busy machine did not answer within the time that a request may take.
 * @param ask a read, or what is done once however often it is asked for
 * @throws at once where the connection was lost
 */
export async function decided<T>(ask: () => Promise<Answer<T>>): Promise<Answer<T>> {
	const told = await until(async () => {
		const answer = await ask().catch((error: Error) => error);
		return answer instanceof Error || ![503, 504].includes(answer.status) ? { answer } : undefined;
	});
	if (told.answer instanceof Error) throw told.answer;
	return told.answer;
}
