import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
	formatOf,
	hasLength,
	isEmailAddress,
	isPlainText,
	isVisible,
} from '../../services/gateway/validation/formats.ts';
import { daysBetween, isRealDate, isRealLocalDateTime } from '../../shared/calendar/plain-date.ts';

describe('e-mail addresses', () => {
	const label63 = 'x'.repeat(63);
	test.each([
		'ada@example.com',
		"o'neill+tag@sub.example.co.uk",
		'!#$%&*/=?^_`{|}~-@example.com',
		`${'a'.repeat(64)}@example.com`,
		`a@${label63}.${label63}.${label63}.${'x'.repeat(60)}`, // 254
		'a@1.2.example',
		'a@xn--bcher-kva.example',
		'A@EXAMPLE.COM',
	])('When it is %s, then it is one', (text) => {
		expect(isEmailAddress(text)).toBe(true);
	});

	test.each([
		'',
		'ada',
		'@example.com',
		'ada@',
		'ada@example',
		'ada@@example.com',
		'a b@example.com',
		' ada@example.com',
		'ada@example.com ',
		'ada@example.com\n',
		'.ada@example.com',
		'ada.@example.com',
		'a..b@example.com',
		'ada@.example.com',
		'ada@example..com',
		'ada@example.com.',
		'ada@-example.com',
		'ada@example-.com',
		'ada@exa_mple.com',
		'ada@127.0.0.1',
		'ada@[127.0.0.1]',
		'"ada"@example.com',
		'Ada <ada@example.com>',
		'ada@example.com,bob@example.com',
		'adä@example.com',
		'ada@exämple.com',
		`${'a'.repeat(65)}@example.com`,
		`a@${'x'.repeat(64)}.com`,
		`a@${label63}.${label63}.${label63}.${'x'.repeat(61)}`, // 255
	])('When it is "%s", then it is none', (text) => {
		expect(isEmailAddress(text)).toBe(false);
	});
});

describe('dates', () => {
	const day = fc.date({
		min: new Date('0001-01-01T00:00:00Z'),
		max: new Date('9999-12-31T00:00:00Z'),
		noInvalidDate: true,
	});

	test('When a date is in the calendar, then it is real, and the same day of the next month too where there is one', () => {
		fc.assert(
			fc.property(day, (date) => {
				expect(isRealDate(date.toISOString().slice(0, 10))).toBe(true);
			}),
		);
	});

	test('When any day and month are combined, then it is real exactly where Date agrees', () => {
		const two = (number: number) => String(number).padStart(2, '0');
		const parts = fc.tuple(
			fc.integer({ min: 1000, max: 9999 }),
			fc.integer({ min: 0, max: 13 }),
			fc.integer({ min: 0, max: 32 }),
		);
		fc.assert(
			fc.property(parts, ([year, month, date]) => {
				const text = `${year}-${two(month)}-${two(date)}`;
				const parsed = new Date(`${text}T00:00:00Z`);
				const agrees = !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(text);
				expect(isRealDate(text)).toBe(agrees);
			}),
		);
	});

	test.each([
		'2026-2-3',
		'26-02-03',
		'0000-01-01',
		'2026-02-03 ',
		'2026/02/03',
		'20260203',
		'２０２６-02-03',
		'2026-02-03\n',
		'1900-02-29',
	])('When it is "%s", then it is none', (text) => {
		expect(isRealDate(text)).toBe(false);
	});

	test.each([
		['2026-01-05 00:00:00', true],
		['2026-01-05 23:59:59', true],
		['2024-02-29 09:00:00', true],
		['2026-01-05 24:00:00', false],
		['2026-01-05 23:60:00', false],
		['2026-01-05 23:59:60', false],
		['2026-02-29 09:00:00', false],
		['2026-01-05T09:00:00', false],
		['2026-01-05 09:00', false],
		['2026-01-05 9:00:00', false],
		['2026-01-05  09:00:00', false],
		['2026-01-05 09:00:00Z', false],
	])('When a local time is "%s", then real: %s', (text, real) => {
		expect(isRealLocalDateTime(text)).toBe(real);
	});

	test('When days are counted, then a leap day counts', () => {
		expect(daysBetween('2024-02-28', '2024-03-01')).toBe(2);
		expect(daysBetween('2026-03-01', '2026-02-28')).toBe(-1);
	});
});

describe('texts', () => {
	test('When a text is counted, then by code points', () => {
		fc.assert(
			fc.property(fc.string({ unit: 'binary', maxLength: 30 }), fc.nat(20), (text, maximum) => {
				const points = [...text].length;
				expect(hasLength(text, 0, maximum)).toBe(points <= maximum);
				expect(hasLength(text, 1, maximum)).toBe(points >= 1 && points <= maximum);
			}),
		);
	});

	test('When a text has a control character or a lone surrogate, then it is refused, tab and line ends aside', () => {
		for (let code = 0; code <= 0xffff; code++) {
			const isControl = (code < 0x20 && ![9, 10, 13].includes(code)) || code === 0x7f;
			const isSurrogate = code >= 0xd800 && code <= 0xdfff;
			if (isPlainText(`a${String.fromCharCode(code)}b`) === (isControl || isSurrogate)) {
				throw new Error(`U+${code.toString(16)} is judged wrongly`);
			}
		}
		expect(isPlainText('\u{1f600}')).toBe(true);
	});

	test.each(['', ' ', '\t\n', '\u00a0\u2003', '\u200b\u200d', '\u00ad', '\u3164', '\ufe0f', '\u2800'])(
		'When a name is %j, then nobody sees it',
		(text) => {
			expect(isVisible(text)).toBe(false);
		},
	);

	test.each(['a', ' 7 ', '.', '\u{1f600}', '日', '\u200bx'])('When a name is %j, then it is seen', (text) => {
		expect(isVisible(text)).toBe(true);
	});
});

test('When a schema names a format without a rule, then it does not compile', () => {
	expect(() => formatOf({ type: 'string', format: 'uuid' })).toThrow('no rule for the string format "uuid"');
	expect(() => formatOf({ type: 'string' })).toThrow();
});
