import { expect } from '@jest/globals';
import { catalogue, type ErrorType, type Fault, faultCodes } from '../../shared/contract/errors.ts';
import type { Answer } from './http-client.ts';

/** Text, code and perhaps faults of a failure. */
interface Failure {
	error?: unknown;
	code?: ErrorType;
	faults?: Fault[];
	alternatives?: unknown[];
}

/**
 * The envelope of a failure: the code is of the catalogue and fits the status, the text is the code's or made of the
 * faults, and there is nothing else.
 */
export function expectEnvelope({ status, body }: { status: number; body: unknown }): void {
	const { code, faults, alternatives } = body as Failure;
	const seen = JSON.stringify(body).slice(0, 500);
	const more = [...(faults === undefined ? [] : ['faults']), ...(alternatives === undefined ? [] : ['alternatives'])];
	const names = ['error', 'code', ...more];
	expect({ seen, names: Object.keys(body as object) }).toEqual({ seen, names });
	expect({ seen, status: catalogue[code!]?.status }).toEqual({ seen, status });
	expect({ seen, isMadeOf: isMadeOf(body as Failure) }).toEqual({ seen, isMadeOf: true });
	for (const fault of faults ?? []) {
		expect({ seen, names: Object.keys(fault) }).toEqual({ seen, names: ['field', 'code', 'message'] });
		expect(faultCodes).toContain(fault.code);
	}
}

function isMadeOf({ error, code, faults }: Failure): boolean {
	if (code !== 'invalid_request' && code !== 'unprocessable') return true;
	if (faults === undefined) return error === catalogue[code].text;
	const texts = faults.map(({ field, message }) => `${field}: ${message}`).join('; ');
	return String(error).startsWith(texts) && /^(?:; and [1-9]\d* more)?$/.test(String(error).slice(texts.length));
}

/** A refusal: the status, the envelope with an error text, and in the text everything that it must name. */
export function expectRefusal(answer: Answer, status: number, ...named: string[]): void {
	expect({ status: answer.status, text: answer.text }).toEqual({ status, text: answer.text });
	expectEnvelope(answer);
	expect(typeof answer.body.error).toBe('string');
	for (const name of named) expect(answer.error).toContain(name);
}

/** A refusal whose text is exactly this one. */
export function expectError(answer: Answer, status: number, error: string): void {
	const log = answer.status === status ? undefined : answer.log;
	expect({ status: answer.status, error: answer.error, log }).toEqual({ status, error });
	expectEnvelope(answer);
}

/** ISO 8601 UTC with milliseconds. */
export const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
