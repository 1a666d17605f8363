import { expect } from '@jest/globals';
import type { Answer } from './http-client.ts';

/**
 * A refusal: the status, an envelope with an error text and nothing else, and in the text everything that it must name.
 */
export function expectRefusal(answer: Answer, status: number, ...named: string[]): void {
	expect({ status: answer.status, text: answer.text }).toEqual({ status, text: answer.text });
	expect(Object.keys(answer.body)).toEqual(['error']);
	expect(typeof answer.body.error).toBe('string');
	for (const name of named) expect(answer.error).toContain(name);
}

/** A refusal whose text is exactly this one. */
export function expectError(answer: Answer, status: number, error: string): void {
	const log = answer.status === status ? undefined : answer.log;
	expect({ status: answer.status, body: answer.text, log }).toEqual({ status, body: JSON.stringify({ error }) });
}

/** ISO 8601 UTC with milliseconds. */
export const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
