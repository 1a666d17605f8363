import { resolve } from 'node:path';
import { isMonth, isRealDate } from '../../shared/calendar/plain-date.ts';
import { Malformed, matching, type Parser } from '../../shared/config/parsers.ts';
import { systemClock, timestamp } from '../../shared/engine/clock.ts';
import { hashApiKey, isWellFormedApiKey } from '../../shared/secrets/api-key.ts';

/** An id of the API: 1 to 2^53-1. */
export const id: Parser<number> = (text) => {
	const value = /^[1-9][0-9]{0,15}$/.test(text) ? Number(text) : Number.NaN;
	if (Number.isSafeInteger(value)) return value;
	throw new Malformed(`must be an id such as 7, not "${text}"`);
};

export const date: Parser<string> = (text) => {
	if (isRealDate(text)) return text;
	throw new Malformed(`must be a date such as 2026-03-16, not "${text}"`);
};

/** A UTC month. */
export const month: Parser<string> = (text) => {
	if (isMonth(text)) return text;
	throw new Malformed(`must be a month such as 2026-11, not "${text}"`);
};

export const accountId = matching(/^acc_[0-9A-Za-z]{1,40}$/, 'an account’s id such as acc_demo');

/** What is no id is not printed: it may be a key. */
export const keyId: Parser<string> = (text) => {
	if (/^key_[0-9A-Za-z]{1,40}$/.test(text)) return text;
	throw new Malformed('must be a key’s id such as key_demo; `keys list` shows them');
};

/** What a person reads: no line breaks and nothing that moves a terminal's cursor. */
export const label = matching(
	/^(?=.*\S)[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]{1,72}$/u,
	'a text of 1 to 72 visible characters',
);
export const email = matching(/^(?=.{3,254}$)[!-?A-~]+@[!-?A-~]+$/, 'an e-mail address such as ada@example.com');
export const packageName = matching(/^[A-Za-z][A-Za-z0-9 _-]{0,39}$/, 'a package’s name such as Starter');

const UNITS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 }; // ms

/** `30m`, `24h`, `90d`, in ms. */
export const duration: Parser<number> = (text) => {
	const [, number, unit] = /^(\d{1,4})([mhd])$/.exec(text) ?? [];
	if (number !== undefined) return Number(number) * UNITS[unit!]!;
	throw new Malformed(`must be a duration such as 90d, 24h or 30m, not "${text}"`);
};

/** `400d`, in days, or null where all is kept. */
export const retention: Parser<number | null> = (text) => {
	if (text === 'none') return null;
	const [, days] = /^([1-9]\d{0,3})d$/.exec(text) ?? [];
	if (days !== undefined) return Number(days);
	throw new Malformed(`must be days from 1d to 9999d, such as 400d, or none, not "${text}"`);
};

/** A key's id or, where a leaked key is all that one has, the key: only its hash goes on from here. */
export const keyIdOrKey: Parser<{ key_id: string } | { hash: string }> = (text) =>
	isWellFormedApiKey(text) ? { hash: hashApiKey(text) } : { key_id: keyId(text) };

/** A file or directory; a relative one from where the operator is, who may have asked npm. */
export const path: Parser<string> = (text) => {
	if (text === '' || text.includes('\0')) throw new Malformed('must be a path');
	const { npm_lifecycle_event, INIT_CWD } = process.env;
	return resolve((npm_lifecycle_event === 'ops' && INIT_CWD) || process.cwd(), text);
};

/** A duration of a minute or more. */
export const lifetime: Parser<number> = (text) => {
	const ms = duration(text);
	if (ms > 0) return ms;
	throw new Malformed('must be a minute or more');
};

/** A number from `minimum`, or null where there is no limit. */
export function limit(minimum: number): Parser<number | null> {
	return (text) => {
		if (text === 'none') return null;
		const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
		if (number >= minimum) return number;
		throw new Malformed(`must be a whole number from ${minimum}, or none, not "${text}"`);
	};
}

/** A duration ago, the start of a date, or a moment; as ISO 8601 UTC. */
export const since: Parser<string> = (text) => {
	if (/^\d+[mhd]$/.test(text)) return timestamp(systemClock.now() - duration(text));
	if (isRealDate(text)) return `${text}T00:00:00.000Z`;
	const isMoment = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z$/.test(text) && isRealDate(text.slice(0, 10));
	if (isMoment && !Number.isNaN(Date.parse(text))) return timestamp(Date.parse(text));
	throw new Malformed(`must be such as 24h, 2026-11-21 or 2026-11-21T09:30:00Z, not "${text}"`);
};
