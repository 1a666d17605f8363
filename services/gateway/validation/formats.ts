import { isMoment, isRealDate, isRealLocalDateTime } from '../../../shared/calendar/plain-date.ts';
import type { JsonSchema } from './json-schema.ts';

export interface Format extends Rule {
	/** Whether it is neither too short nor too long: what is never reaches a pattern. */
	hasLength(text: string): boolean;
}

interface Rule {
	accepts(text: string): boolean;
	/** What would be right, to be read after "must be" */
	expected: string;
}

/** The formats of shared/contract/schemas/schema.ts. */
const rules: Record<string, (schema: JsonSchema) => Rule> = {
	text: (schema) => ({ accepts: isPlainText, expected: `a text of ${length(schema)} without control characters` }),
	name: (schema) => ({
		accepts: (text) => isPlainText(text) && isVisible(text),
		expected: `a text of ${length(schema)} without control characters, at least one of them visible`,
	}),
	'time-zone': () => ({ accepts: isPlainText, expected: 'an IANA time zone name such as Europe/Berlin' }),
	date: () => ({ accepts: isRealDate, expected: 'a real date, YYYY-MM-DD' }),
	'date-time': () => ({ accepts: isMoment, expected: 'a moment in ISO 8601 such as 2026-11-21T09:30:00.000Z' }),
	'local-date-time': () => ({ accepts: isRealLocalDateTime, expected: 'a real date and time, YYYY-MM-DD HH:MM:SS' }),
	email: () => ({ accepts: isEmailAddress, expected: 'an e-mail address of at most 254 characters' }),
	e164: (schema) => {
		const pattern = new RegExp(schema.pattern!);
		return { accepts: (text) => pattern.test(text), expected: 'a phone number in E.164 such as +15550100' };
	},
};

/**
 * The rule for a string.
 * @throws Error where the schema names a format that has no rule here
 */
export function formatOf(schema: JsonSchema): Format {
	const rule = rules[schema.format ?? '']?.(schema);
	if (rule === undefined) throw new Error(`no rule for the string format "${schema.format}"`);
	const { minLength = 0, maxLength = Number.MAX_SAFE_INTEGER } = schema;
	return { ...rule, hasLength: (text) => hasLength(text, minLength, maxLength) };
}

function length({ minLength = 0, maxLength }: JsonSchema): string {
	return minLength > 0 ? `${minLength} to ${maxLength} characters` : `at most ${maxLength} characters`;
}

const MAX_LENGTH = 254; // RFC 5321 §4.5.3.1.3, without the angle brackets
const MAX_LOCAL_LENGTH = 64;
const LOCAL = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;

/**
 * A mailbox as people write it: a dot-string (RFC 5321 §4.1.2) at a host name of at least two labels. No quoted local
 * parts, no address literals; names beyond ASCII in their `xn--` form.
 *
 * The length is looked at first, and no pattern here can match one text in two ways, so the time is linear:
 * fastest-validator's own rule takes seconds for a hostile text (field's measurement: 8,001 characters, 34 s).
 */
export function isEmailAddress(text: string): boolean {
	if (text.length > MAX_LENGTH) return false;
	const at = text.lastIndexOf('@');
	if (at < 1 || at > MAX_LOCAL_LENGTH || !LOCAL.test(text.slice(0, at))) return false;
	const labels = text.slice(at + 1).split('.');
	const topLevel = labels.at(-1)!;
	return labels.length >= 2 && !/^\d+$/.test(topLevel) && labels.every((label) => LABEL.test(label));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a text must not have (contract §1)
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;
// U+2800 is a braille cell without dots.
const VISIBLE = /[^\p{White_Space}\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** No control characters but tab, newline and carriage return, no lone surrogates. */
export function isPlainText(text: string): boolean {
	return !CONTROL.test(text) && text.isWellFormed();
}

/** At least one character that a reader sees. */
export function isVisible(text: string): boolean {
	return VISIBLE.test(text);
}

/** Whether `text` has `minimum` to `maximum` Unicode code points. They are counted only where the answer needs it. */
export function hasLength(text: string, minimum: number, maximum: number): boolean {
	if (text.length < minimum || text.length > 2 * maximum) return false;
	if (text.length <= maximum && minimum <= 1) return true;
	const length = codePoints(text);
	return length >= minimum && length <= maximum;
}

function codePoints(text: string): number {
	let count = 0;
	for (const _ of text) count++;
	return count;
}
