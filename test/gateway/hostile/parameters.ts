import type { Operation } from '../../../services/gateway/operations/operation.ts';
import { type JsonSchema, jsonSchema } from '../../../services/gateway/validation/json-schema.ts';
import { fill } from './values.ts';

/** No id and no number of a page, as it stands in a request target. */
const NO_INTEGER = [
	...['', '0', '-1', '+1', '01', '1.0', '1e3', '1e400', '0x10', '1_000', 'NaN', 'Infinity', 'null', '%31%00', '%00'],
	...[
		'9007199254740992',
		'99999999999999999999',
		fill('9', 4_000),
		'%D9%A1',
		'%EF%BC%91',
		'1%20',
		'%201',
		'1;x',
		'1,2',
	],
	...[
		"1'--",
		'1%20OR%201=1',
		'__proto__',
		'constructor',
		'%24ne',
		'%7B%22%24gt%22%3A0%7D',
		'{{7*7}}',
		'..',
		'%2e%2e%2f',
	],
	...['%', '%2', '%zz', '%ff', '%c0%af', '%ed%a0%80', '%u0031', '[object%20Object]', '$where', '%0d%0aX-Evil:%201'],
];

/** No list of ids, at most 20, each once */
const NO_INTEGERS = [
	...NO_INTEGER.filter((text) => text !== '1,2'),
	...['1,1', '1,', ',1', '1,,2', ',', '1,0', '1,%202', '1%2C1', '1.5,2', '1;2', '[1]', '1,2,__proto__'],
	Array.from({ length: 21 }, (_, at) => at + 1).join(','),
	fill('1,', 12_000),
];

/** Parts of a query that no operation takes. */
const QUERIES = [
	...['__proto__=1', '__proto__[isAdmin]=1', 'constructor=1', 'constructor.prototype.a=1', 'prototype=1', 'toString=1'],
	...[
		'hasOwnProperty=1',
		'%5F%5Fproto%5F%5F=1',
		'a=1',
		'=1',
		'=',
		'a[]=1',
		'a[$ne]=1',
		'$where=sleep(1000)',
		'user=acc_1',
	],
	...['%', '%zz=1', 'a=%', '%ff=1', 'a=%c0%af', 'a=%ed%a0%80', '%00=1', 'key=slw_x', 'access_token=x'],
	fill('a=1&', 8_000),
	fill('%41', 9_000),
	fill('a', 14_000),
	Array.from({ length: 1_500 }, (_, at) => `p${at}=1`).join('&'),
	`a=${fill('+', 12_000)}`,
	`a=${fill('%F0%9F%98%80', 12_000)}`,
];

const NO_DATE = ['', '2026-02-30', '2026-1-1', fill('2026-', 8_000), '%EF%BC%92026-11-23', '2026-11-23%0A', 'today'];
const NO_EMAIL = [
	...['', 'ada', 'ada@x', fill('a@', 12_000), `a@${fill('a.', 12_000)}`, `${fill('a.', 6_000)}@${fill('a-', 6_000)}`],
	...['ada@example.com%00', 'ada@example.com%0d%0a', '%24ne', fill('%22', 9_000)],
];

/** Queries that an operation must refuse with 400; `own` is one that it takes. */
export function hostileQueries(operation: Operation, own: Record<string, string | number>): string[] {
	const others = (name: string) =>
		Object.entries(own)
			.filter(([key]) => key !== name)
			.map(([key, value]) => `${key}=${value}`);
	const properties = Object.entries(jsonSchema(operation.parameters.query).properties ?? {});
	const wrong = properties.flatMap(([name, schema]) =>
		[
			...hostileTexts(schema).map((text) => `${name}=${text}`),
			`${name}=1&${name}=1`,
			`${name}[]=1`,
			`${name}[$gt]=0`,
		].map((part) => [...others(name), part].join('&')),
	);
	return [...QUERIES.map((part) => [...others(''), part].join('&')), ...wrong];
}

function hostileTexts(schema: JsonSchema): string[] {
	if (schema.format === 'date') return NO_DATE;
	if (schema.format === 'email') return NO_EMAIL;
	if (schema.items?.type === 'integer') return NO_INTEGERS;
	// 0 is a number of events that may be waited for, and the place in the feed before the first
	if (schema.type === 'integer') return NO_INTEGER.filter((text) => schema.minimum !== 0 || text !== '0');
	return ['', '__proto__', '%00', '%ff', fill('x', 12_000), fill('true,', 12_000), 'TRUE', '1', '%24ne'];
}

/** Paths with something that is no id in place of each of their ids, one at a time; the answer is 400 or 404. */
export function hostilePaths(operation: Operation): string[] {
	const names = [...operation.path.matchAll(/\{\w+\}/g)].map(([name]) => name);
	return names.flatMap((name) =>
		NO_INTEGER.map((text) => operation.path.replace(name, () => text).replaceAll(/\{\w+\}/g, '1')),
	);
}
