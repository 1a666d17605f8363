import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { entityTag, matchesIfNoneMatch, parseIfMatch } from '../../services/gateway/pipeline/answer-outcome.ts';
import { fingerprint, parseIdempotencyKey } from '../../services/gateway/pipeline/validate.ts';

const version = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
const space = fc.stringMatching(/^[ \t]{0,3}$/);

describe('If-Match', () => {
	test('When it lists tags as RFC 9110 allows, then the strong ones are its versions, in order', () => {
		const tag = fc.record({ version, weak: fc.boolean(), before: space, after: space });
		fc.assert(
			fc.property(fc.array(tag, { minLength: 1 }), (tags) => {
				const text = tags.map(({ version, weak, before, after }) => `${before}${weak ? 'W/' : ''}"${version}"${after}`);
				const strong = tags.filter(({ weak }) => !weak).map((entry) => entry.version);
				expect(parseIfMatch(text.join(','))).toEqual(strong);
			}),
		);
	});

	test('When it is any text, then it names no version whose tag is not in it', () => {
		fc.assert(
			fc.property(fc.stringMatching(/^[W/", 0-9a*\t]{0,40}$/), (text) => {
				const versions = parseIfMatch(text);
				if (versions === '*') expect(text).toBe('*');
				else for (const one of versions!) expect(text).toContain(entityTag(one));
			}),
		);
	});

	test.each([
		['"1"', [1]],
		['*', '*'],
		['W/"1"', []],
		['', []],
		['1', []],
		['"1', []],
		['"01"', []],
		['"0"', []],
		['"1.0"', []],
		['"abc"', []],
		["'1'", []],
		['"1" "2"', []],
		['w/"1"', []],
		['*, "1"', [1]],
		['1, "2"', [2]],
		['"a,b", "2"', [2]],
		['"1,2"', []],
		[',,"1",,', [1]],
		['"9007199254740991"', [Number.MAX_SAFE_INTEGER]],
	])('When it is %s, then its versions are %j', (header, expected) => {
		expect(parseIfMatch(header)).toEqual(expected);
	});

	test('When it is not there, then there is no condition', () => {
		expect(parseIfMatch(undefined)).toBeUndefined();
	});
});

test('V1: When If-None-Match names the version, weak or strong, then it matches; nothing malformed does', () => {
	fc.assert(
		fc.property(version, (one) => {
			for (const header of ['*', entityTag(one), `W/${entityTag(one)}`, `"x", ${entityTag(one)}`]) {
				expect(matchesIfNoneMatch(header, one)).toBe(true);
			}
			for (const header of [undefined, '', `${one}`, `"${one}`, `"0${one}"`])
				expect(matchesIfNoneMatch(header, one)).toBe(false);
		}),
	);
});

describe('Idempotency-Key', () => {
	const visible = fc.stringMatching(/^[\x21-\x7e]{1,255}$/);

	test('When a key is quoted, then it is the same key as bare', () => {
		fc.assert(
			fc.property(visible, (key) => {
				fc.pre(!key.startsWith('"'));
				const quoted = `"${key.replace(/["\\]/g, '\\$&')}"`;
				expect([parseIdempotencyKey(key), parseIdempotencyKey(quoted)]).toEqual([key, key]);
			}),
		);
	});

	test.each([
		'',
		'""',
		'"',
		'"a',
		'a b',
		'"a b"',
		'ä',
		'"a"b"',
		'"\\a"',
		'x'.repeat(256),
		`"${'x'.repeat(256)}"`,
		'a\t',
	])('When it is %j, then it is malformed', (header) => {
		expect(parseIdempotencyKey(header)).toBeUndefined();
	});

	test('When only the order of fields differs, then the request is the same; anything else makes another one', () => {
		const request = {
			operation: 'createBooking',
			path: {},
			query: { service_id: 3 },
			body: { a: 1, b: { c: [1, 2], d: null } },
		};
		const reordered = { ...request, body: { b: { d: null, c: [1, 2] }, a: 1 } };
		expect(fingerprint(request)).toMatch(/^[0-9a-f]{64}$/);
		expect(fingerprint(reordered)).toBe(fingerprint(request));
		for (const other of [
			{ ...request, operation: 'createService' },
			{ ...request, query: {} },
			{ ...request, body: { a: 1, b: { c: [2, 1], d: null } } },
			{ ...request, body: { a: '1', b: { c: [1, 2], d: null } } },
			{ ...request, body: { a: 1, b: { c: [1, 2] } } },
			{
				...request,
				body: {
					a: 1,
					b: {
						entries: [
							['c', [1, 2]],
							['d', null],
						],
					},
				},
			},
		]) {
			expect(fingerprint(other)).not.toBe(fingerprint(request));
		}
	});
});
