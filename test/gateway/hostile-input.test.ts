import { describe, expect, test } from '@jest/globals';
import { Authenticator } from '../../services/gateway/authentication/authenticate.ts';
import { operations } from '../../services/gateway/operations/index.ts';
import { matchesIfNoneMatch, parseIfMatch } from '../../services/gateway/pipeline/answer-outcome.ts';
import { compileValidation, parseIdempotencyKey } from '../../services/gateway/pipeline/validate.ts';
import { type JsonSchema, withoutNull } from '../../services/gateway/validation/json-schema.ts';
import { parseJson } from '../../services/gateway/validation/parse-body.ts';
import { ApiError } from '../../shared/contract/errors.ts';
import { systemClock } from '../../shared/engine/clock.ts';
import { bound } from '../support/bound.ts';

/**
 * ms that nothing may take (promise A7): 50 on a machine that does nothing else (ALONE=1). Beside other work, which shares the
 * core and empties its caches, the bound tells a parser or a check whose time grows with the square.
 */
const LIMIT = bound(50, 250);
const HEADER = 16_000;

const fill = (text: string, length: number) => text.repeat(Math.ceil(length / text.length)).slice(0, length);

/** ms of processor time of this thread: other load on the machine does not count. The best of five, for compilation. */
function cost(run: () => unknown): number {
	const once = () => {
		const before = process.threadCpuUsage();
		run();
		const { user, system } = process.threadCpuUsage(before);
		return (user + system) / 1000;
	};
	return Math.min(...Array.from({ length: 5 }, once));
}

/** Parses and checks a body as the pipeline does; a refusal is an outcome like any other. */
function reader(id: string) {
	const operation = operations.find((entry) => entry.id === id)!;
	const validate = compileValidation(operation);
	return (bytes: Buffer) => {
		try {
			validate({ pathValues: ['7'], query: '', body: parseJson(bytes), headers: { 'idempotency-key': 'k' } });
		} catch (error) {
			if (!(error instanceof ApiError)) throw error;
		}
	};
}

/** Fields of its body that are texts. */
function textsOf(id: string): string[] {
	const { schema } = operations.find((entry) => entry.id === id)!.body!;
	const fields = Object.entries(schema.properties as Record<string, JsonSchema>);
	return fields.filter(([, field]) => withoutNull(field).schema.type === 'string').map(([name]) => name);
}

const emails = ['a', 'a.', 'a@', '@', '.', 'a@a.', '-', 'a-', '"', '(', ' ', 'a!', '\u{1f600}'].flatMap((part) => [
	fill(part, 60_000),
	`${fill(part, 30_000)}@${fill(part, 29_000)}`,
	`a@${fill(part, 59_000)}`,
	`a@${fill(part, 250)}`,
	`${fill(part, 64)}@${fill('a-', 180)}.de`,
]);
const others = ['0', '1', '-', ' ', '+', 'é', '2026-', '\u{1f600}', 'e\u0301', '\ud83d', '9'].map((part) =>
	fill(part, 60_000),
);

describe('A7: When a body is as hostile as it can be, then it does not block', () => {
	test.each(textsOf('createBooking'))('%s of a booking', (field) => {
		const read = reader('createBooking');
		for (const text of [...emails, ...others]) {
			const bytes = Buffer.from(JSON.stringify({ date: '2026-11-23', time_slot_id: 7, [field]: text }));
			expect(cost(() => read(bytes))).toBeLessThan(LIMIT);
		}
	});

	test.each(textsOf('createService'))('%s of a service', (field) => {
		const read = reader('createService');
		for (const text of [...emails, ...others].map((part) => fill(part, 250_000))) {
			const bytes = Buffer.from(JSON.stringify({ name: 'x', timezone: 'UTC', [field]: text }));
			expect(cost(() => read(bytes))).toBeLessThan(LIMIT);
		}
	});

	test.each([
		['zeros for time slots', `{"time_slots":[${fill('0,', 260_000)}0]}`],
		['empty time slots', `{"time_slots":[${fill('{},', 259_998)}{}]}`],
		['nulls for time slots', `{"time_slots":[${fill('null,', 260_000)}0]}`],
		['500 time slots of which nothing is right', `{"time_slots":[${fill('{"day_of_week":"","x":1},', 12_500)}{}]}`],
		['unknown fields', `{${Array.from({ length: 24_000 }, (_, index) => `"f${index}":0`).join()}}`],
		['one field again and again', `{${fill('"name":"",', 260_000)}"a":0}`],
		['brackets', `{"a":${fill('[', 262_000)}`],
		['braces', fill('{"a":', 262_000)],
		['a long number', `{"name":${fill('9', 262_000)}}`],
		['escapes', `{"name":"${fill('\\u0061', 262_000 - 4)}"}`],
		['a long name', `{"${fill('$', 262_000)}":1}`],
	])('%s', (_what, text) => {
		const read = reader('createService');
		const bytes = Buffer.from(text);
		expect(bytes.length).toBeLessThanOrEqual(256 * 1024);
		expect(cost(() => read(bytes))).toBeLessThan(LIMIT);
	});
});

describe('A7: When a header is as hostile as it can be, then it does not block', () => {
	const parts = ['"', ',', '",', '"1",', 'W/', 'W/"', ' ', ', ', '"a', '\\', '"\\"', '*', '\t', '" ,'];
	const hostile = parts.flatMap((part) => [fill(part, HEADER), `"${fill(part, HEADER)}`, `${fill(part, HEADER)}x`]);

	test.each([
		['If-Match', (header: string) => parseIfMatch(header)],
		['If-None-Match', (header: string) => matchesIfNoneMatch(header, 1)],
		['Idempotency-Key', (header: string) => parseIdempotencyKey(header)],
	])('%s', (_name, parse) => {
		for (const header of hostile) expect(cost(() => parse(header))).toBeLessThan(LIMIT);
	});

	test('A1: Authorization, and none of it costs a call', async () => {
		const noCall = { call: () => Promise.reject(new Error('a call was made')) };
		const authenticator = new Authenticator(noCall, systemClock);
		for (const header of [...hostile, fill(' ', HEADER), fill('slw_', HEADER)].flatMap((part) => [
			part,
			`Bearer ${part}`,
		])) {
			const outcome: Promise<unknown>[] = [];
			expect(cost(() => outcome.push(authenticator.authenticate(header, 'id')))).toBeLessThan(LIMIT);
			for (const refused of outcome) await expect(refused).rejects.toThrow('invalid API key');
		}
	});
});
