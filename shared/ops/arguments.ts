import { isRealDate } from '../calendar/plain-date.ts';
import { Malformed, type Parser } from '../config/parsers.ts';

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
