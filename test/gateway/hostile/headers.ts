import { fill } from './values.ts';

/** Bytes that fit into the headers of a request beside the others */
const ROOM = 14_000;

const SHAPES = ['"', ',', '",', 'W/', 'W/"', ' ,', ', ', '"a', '\\', '"\\"', '"0"', '"0",', '\t,', '" ,', '*,', '"*",'];

/** Lists for If-Match and If-None-Match that name no version there is. */
export const ENTITY_TAGS = [
	...SHAPES.flatMap((part) => [fill(part, ROOM), `"${fill(part, ROOM)}`, `${fill(part, ROOM)}x`]),
	...['', ' ', '1', "'1'", '"1', '1"', '"01"', '"1.0"', '"1e0"', '"-1"', '"0"', '" 1"', '"99999999999999999999"'],
	...['W/"99"', 'w/"1"', '**', '"*"', '"\x80\xff"', '"__proto__"', '{"$gt":0}', '"9007199254740993"'],
];

/** What a client may say that it takes; each as long as fits. */
export const ENCODINGS = [
	...[
		',',
		' ',
		'\t',
		';',
		'=',
		'q=',
		'*',
		'*,',
		'gzip,',
		'gzip;',
		'gzip;q=0,',
		'gzip;q=1;',
		', ',
		'"',
		'\\',
		'a',
	].flatMap((part) => [
		fill(part, ROOM),
		`gzip${fill(part, ROOM)}`,
		`gzip;q=${fill(part, ROOM)}`,
		`${fill(part, ROOM)}x`,
	]),
	...['0', '1', '9', '.', ' ', '0.1'].flatMap((part) => [
		`gzip;q=0.${fill(part, ROOM)}`,
		`gzip;q=0.${fill(part, ROOM)}x`,
		`gzip;q=1.${fill(part, ROOM)}x`,
		`gzip ${fill(part, ROOM)};q=1`,
	]),
	...['__proto__', 'constructor;q=1', 'gzip;q=NaN', 'gzip;q=Infinity', 'gzip;q=-0', '\xff', 'gzip\xff'],
];

/** None of them is a key, and none has the form of one. */
export const AUTHORIZATIONS = [
	...['Bearer', 'Bearer ', 'Bearer x', 'Basic YTpi', 'Basic', 'Digest username="a"', 'slw_', 'null', 'undefined', '*'],
	...[
		'Bearer slw_',
		'Bearer Bearer slw_',
		'Bearer __proto__',
		'Bearer [object Object]',
		'Bearer {"$ne":null}',
		',',
		'"',
	],
	...[
		"Bearer ' OR '1'='1",
		`Bearer slw_${fill('0', 36)}`,
		`Bearer slw_${fill('z', 37)}`,
		`Bearer slw_${fill('\xe9', 36)}`,
	],
	...[' ', 'Bearer ', 'slw_', 'a', '\t', 'Bearer\t', ',', '=', '.'].flatMap((part) => [
		`x${fill(part, ROOM)}`,
		`Bearer ${fill(part, ROOM)}x`,
	]),
];

/** None of them is 1 to 255 visible ASCII characters. */
export const IDEMPOTENCY_KEYS = [
	'',
	'""',
	fill('k', 256),
	fill('k', ROOM),
	'a b',
	'a\tb',
	'\xe9',
	'"a',

	`"${fill('"', ROOM)}`,
];
