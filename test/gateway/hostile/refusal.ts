import { expect } from '@jest/globals';
import { expectEnvelope } from '../../support/expectations.ts';
import type { Answer } from '../../support/http-client.ts';
import { revealed } from './reveals.ts';

/** Characters of an error's text: it names at most 50 faults, each with a name of at most 80 characters */
const MAX_TEXT = 16_384;

/**
 * What every hostile input gets: one of these statuses, the envelope with a text and nothing else, of a bounded length
 * and without a word about what is inside.
 * @param input shown where it fails
 */
export function expectHarmless(answer: Answer, statuses: readonly number[], input: string): void {
	const seen = { input: input.slice(0, 200), status: answer.status, text: answer.text.slice(0, 500) };
	expect({ ...seen, isExpected: statuses.includes(answer.status) }).toEqual({ ...seen, isExpected: true });
	expect({ ...seen, type: typeof answer.body.error }).toEqual({ ...seen, type: 'string' });
	expectEnvelope(answer);
	expect({ ...seen, revealed: revealed(answer.text) }).toEqual({ ...seen, revealed: undefined });
	expect(answer.error.length).toBeLessThan(MAX_TEXT);
	expect(answer.text.length).toBeLessThan(3 * MAX_TEXT); // the faults say it once more
	expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
}

/** Runs `check` for every item, a few at a time, so that thousands of them take seconds. */
export async function forEach<T>(items: readonly T[], check: (item: T) => Promise<void>): Promise<void> {
	const next = items.values();
	await Promise.all(
		Array.from({ length: 8 }, async () => {
			for (const item of next) await check(item);
		}),
	);
}
