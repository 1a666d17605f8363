import type { JsonSchema } from '../../../services/gateway/validation/json-schema.ts';
import { literals, withoutNull } from '../../../services/gateway/validation/json-schema.ts';

/** `text` again and again, `length` UTF-16 units in all. */
export const fill = (text: string, length: number) => text.repeat(Math.ceil(length / text.length)).slice(0, length);

/** Of every type: none of them may reach a query, for one has operators, and one is too deep. */
const WRONG_TYPES = ['{}', '{"a":1}', '[[]]', '[{}]', fill('[', 10) + fill(']', 10)];

/** Values that a field of this schema must refuse, as JSON text; the longest just fit into a body of `limit` bytes. */
export function hostileValues(schema: JsonSchema, limit: number): string[] {
	const { schema: inner, nullable } = withoutNull(schema);
	const common = nullable ? WRONG_TYPES : [...WRONG_TYPES, 'null'];
	if (literals(inner) !== undefined) return [...common, ...TEXTS, '"__proto__"', '"toString"', '7', 'true'];
	switch (inner.type) {
		case 'integer':
			return [...common, ...integers(inner), ...TEXTS];
		case 'boolean':
			return [...common, '0', '1', '"true"', '""', '"false"'];
		case 'array':
			return ['{}', '"a"', '7', 'true', ...(nullable ? [] : ['null']), ...arrays(inner, limit)];
		case 'string':
			return [...common, '7', '1e400', 'true', ...strings(inner, limit)];
		default:
			throw new Error(`no hostile value for ${JSON.stringify(inner)}`);
	}
}

/** Texts that no number, no enumeration and no format takes. */
const TEXTS = ['""', '"x"', '"1 OR 1=1"', '"\\u0000"', '"\\ud800"', '"{\\"$gt\\":\\"\\"}"'];

function integers({ minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: JsonSchema): string[] {
	const beyond = [minimum - 1, maximum + 1, 1e300, -1e300].map(String);
	return [...beyond, '1.5', '0.1e-5', '1e400', '-1e400', fill('9', 60_000), '"7"', 'true'];
}

function arrays({ maxItems = 0, minItems = 0 }: JsonSchema, limit: number): string[] {
	const room = limit - 4_096;
	const long = ['0', '{}', 'null', '[]', '""', '{"id":0}'].map((item) => `[${fill(`${item},`, room)}`);
	const closed = long.map((text) => `${text.slice(0, text.lastIndexOf(','))}]`);
	return [
		...closed,
		`[${Array(maxItems + 1)
			.fill('{}')
			.join()}]`,
		...(minItems > 0 ? ['[]'] : []),
	];
}

function strings({ format, minLength = 0, maxLength = 0 }: JsonSchema, limit: number): string[] {
	const room = limit - 4_096;
	const bad = ['\\u0000', '\\u001b[31m', '\\u007f', '\\ud800', '\\udc00\\ud800', `${fill('x', 100)}\\udfff`];
	const long = ['a', '\\u0061', '\u{1f600}', 'e\u0301', ' ', '9', '\\\\', '\u202e'].map((part) => fill(part, room / 4));
	const ofFormat = (FORMATS[format ?? ''] ?? []).map((text) => JSON.stringify(text));
	const isShort = maxLength > 0 && maxLength < 4_096;
	const values = [...bad, ...long, ...(isShort ? [fill('x', maxLength + 1)] : [])].map((text) => `"${text}"`);
	const longShapes = (LONG_SHAPES[format ?? ''] ?? []).map((shape) => JSON.stringify(shape(room / 2)));
	return [...values, ...ofFormat, ...longShapes, ...(minLength > 0 ? ['""'] : [])];
}

/** What looks right at first sight, by format. */
const FORMATS: Record<string, string[]> = {
	date: [
		...['', '2026-02-30', '2026-13-01', '2026-00-10', '0000-00-00', '2026-1-1', '26-11-23', '2026-11-23T00:00:00Z'],
		...[
			'+002026-11-23',
			'-002026-11-23',
			'２０２６-１１-２３',
			'2026-11-23\n',
			' 2026-11-23',
			'2026‐11‐23',
			'2026/11/23',
		],
		...['1e3-11-23', 'now', '2026-W48-1', '2026-327', '9'.repeat(300)],
	],
	'local-date-time': [
		...['', '2026-01-05', '2026-01-05 24:00:00', '2026-01-05 09:60:00', '2026-01-05 09:00:60', '2026-02-30 09:00:00'],
		...[
			'2026-01-05T09:00:00',
			'2026-01-05 09:00:00Z',
			'2026-01-05 9:0:0',
			'2026-01-05  09:00:00',
			'２０２６-01-05 09:00:00',
		],
	],
	'date-time': [
		...['', '2026-11-21', '2026-11-21T09:30', '2026-02-30T09:30:00.000Z', '2026-11-21T25:00:00.000Z', 'yesterday', '0'],
		...['2026-11-21T09:30:00.000+99:99', '+275761-01-01T00:00:00.000Z', '2026-11-21T09:30:00.000Z\n'],
	],
	'time-zone': [
		...['', 'Mars/Base', '+02:00', 'GMT+2', '__proto__', 'constructor', '../../../etc/passwd', 'Europe/Berlin\u0000'],
		...[' UTC', 'UTC ', 'Europe//Berlin', 'Europe\\Berlin', 'Europe/Berlin;', '%00', 'Etc/GMT+99', '{{7*7}}'],
	],
	email: [
		...[
			'',
			'ada',
			'@',
			'ada@',
			'@example.com',
			'ada@example',
			'ada@@example.com',
			'ada@example..com',
			'.ada@example.com',
		],
		...[
			'"ada"@example.com',
			'ada@[127.0.0.1]',
			'ada@example.com\n',
			'ada@example.com\r\nBcc: x@example.com',
			'ada @x.de',
		],
		...[
			'ada@-example.com',
			'ada@example-.com',
			'ada@1.2.3.4',
			'ada@exam_ple.com',
			'ａｄａ@example.com',
			'ada@example.com,b@x.de',
		],
		...['<ada@example.com>', 'ada@example.com ', `${'a'.repeat(65)}@example.com`, `a@${'b'.repeat(64)}.com`],
	],
	e164: [
		...[
			'',
			'+',
			'+0',
			'+0123',
			'15550100',
			'+1 555 0100',
			'+1-555-0100',
			'+1234567890123456',
			'+１５５５０１００',
			'+١٥٥٥',
			'+1\n',
		],
		...['tel:+15550100', '+1555010O', '++15550100', '+15550100;ext=1'],
	],
	name: ['', ' ', '\t\n', '\u200b', '\u2800', '\u3164', '\u00ad\u2060'],
};

/** Shapes that make a backtracking pattern slow, of about `room` bytes. */
const LONG_SHAPES: Record<string, ((room: number) => string)[]> = {
	email: [
		...['a', 'a.', 'a@', '@', '.', 'a@a.', '-', 'a-', '"', '\\"', '(', '!'].map(
			(part) => (room: number) => fill(part, room),
		),
		(room) => `${fill('a', room / 2)}@${fill('a', room / 2)}`,
		(room) => `${fill('a.', room / 2)}@${fill('a-', room / 2)}`,
		(room) => `a@${fill('a.', room)}`,
		(room) => `a@${fill('a-', room)}!`,
		(room) => `"${fill('\\ ', room)}@x.de`,
	],
	date: [(room) => fill('2026-', room), (room) => `2026-11-${fill('2', room)}`, (room) => fill('-', room)],
	'date-time': [(room) => `2026-11-21T09:30:00.${fill('0', room)}Z`, (room) => fill('2026-11-21T', room)],
	'local-date-time': [(room) => `2026-01-05 09:00:${fill('0', room)}`, (room) => fill(' ', room)],
	'time-zone': [(room) => fill('Europe/', room), (room) => fill('/', room), (room) => `Etc/GMT+${fill('1', room)}`],
	e164: [(room) => `+${fill('1', room)}`, (room) => fill('+', room), (room) => `+1${fill(' ', room)}`],
	name: [(room) => fill('\u200b', room / 2), (room) => fill(' ', room)],
};
