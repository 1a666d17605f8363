import { fill } from './values.ts';

/** A body that every operation must refuse, and how it says so. */
export type HostileBody = [what: string, raw: string | Buffer, refusal: RegExp];

const MALFORMED = /^malformed JSON$/;
const NO_OBJECT = /must be a JSON object/;
const TOO_DEEP = /at most 20 levels/;
const FORBIDDEN = /is not an allowed field name/;
const UNKNOWN = /is not a known field/;

/** @param levels of the whole body, which is one itself */
const nested = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
const objects = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const bytes = (...parts: (string | number[])[]) => Buffer.concat(parts.map((part) => Buffer.from(part as string)));

/** @param limit bytes that a body may have */
export function hostileBodies(limit: number): HostileBody[] {
	const room = limit - 64;
	return [
		['20 levels', nested(20), UNKNOWN],
		['21 levels', nested(21), TOO_DEEP],
		['10,000 levels', nested(10_000), TOO_DEEP],
		['21 objects', objects(21), TOO_DEEP],
		['10,000 objects', objects(10_000), TOO_DEEP],
		['brackets that never close', `{"a":${fill('[', room)}`, MALFORMED],
		['braces that never close', fill('{"a":', room), MALFORMED],
		['a huge array', `[${fill('0,', room - 2)}0]`, NO_OBJECT],
		['a huge array in a field', `{"a":[${fill('0,', room - 2)}0]}`, UNKNOWN],
		['a long name', `{"${fill('k', room)}":1}`, UNKNOWN],
		['a long forbidden name', `{"${fill('$', room)}":1}`, FORBIDDEN],
		['many fields', `{${Array.from({ length: 5_000 }, (_, at) => `"f${at}":0`)}}`, UNKNOWN],
		...['__proto__', 'constructor', 'prototype', '$where', '$ne', 'a.b', '.', '$'].flatMap(forbidden),
		['an escaped __proto__', '{"\\u005f\\u005fproto__":{"isAdmin":true}}', FORBIDDEN],
		['__proto__ twice', '{"__proto__":1,"__proto__":{"isAdmin":true}}', FORBIDDEN],
		['a name with a lone surrogate', '{"\\ud800":1}', UNKNOWN],
		['a name with NUL', '{"na\\u0000me":1}', UNKNOWN],
		['an empty name', '{"":1}', UNKNOWN],
		['a BOM', '\ufeff{}', MALFORMED],
		['UTF-16', Buffer.from('\ufeff{"a":1}', 'utf16le'), MALFORMED],
		['an overlong slash', bytes('{"a":"', [0xc0, 0xaf], '"}'), MALFORMED],
		['an overlong NUL', bytes('{"a":"', [0xc0, 0x80], '"}'), MALFORMED],
		['a surrogate in UTF-8', bytes('{"a":"', [0xed, 0xa0, 0x80], '"}'), MALFORMED],
		['a code point above U+10FFFF', bytes('{"a":"', [0xf4, 0x90, 0x80, 0x80], '"}'), MALFORMED],
		['a character cut off', bytes('{"a":"', [0xe2, 0x82], '"}'), MALFORMED],
		['a byte that UTF-8 has not', bytes('{"a":"', [0xff], '"}'), MALFORMED],
		...MALFORMED_TEXTS.map((text): HostileBody => [JSON.stringify(text), text, MALFORMED]),
		...['[]', '"text"', '7', '1e400', 'null', 'true'].map((text): HostileBody => [text, text, NO_OBJECT]),
	];
}

const MALFORMED_TEXTS = [
	...['', ' ', '{', '}', '{"a":}', '{"a":1,}', "{'a':1}", '{a:1}', '{"a":1}{"a":2}', '{"a":1}x', '{"a":undefined}'],
	...['{"a":NaN}', '{"a":Infinity}', '{"a":01}', '{"a":+1}', '{"a":.5}', '{"a":1.}', '{"a":0x10}', '{"a":1_000}'],
	...['{"a":"\n"}', '{"a":"\u0000"}', '{"a":"\\x41"}', '{"a":"\\u12"}', '/**/{}', '{}//', '{"a":1}\u0000', '\u00a0{}'],
];

function forbidden(name: string): HostileBody[] {
	const key = JSON.stringify(name);
	return [
		[name, `{${key}:{"isAdmin":true}}`, FORBIDDEN],
		[`${name} in an ignored field`, `{"id":{"a":[{${key}:1}]}}`, FORBIDDEN],
		[`${name} 19 levels down`, `${'{"a":'.repeat(18)}{${key}:1}${'}'.repeat(18)}`, FORBIDDEN],
	];
}
