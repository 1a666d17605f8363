import { LRUCache } from 'lru-cache';

/** Abbreviations of old Java that ICU, and so `Intl`, takes for zones. IANA does not have them. */
const LEGACY = new Set(
	'ACT AET AGT ART AST BET BST CAT CNT CST CTT EAT ECT IET IST JST MIT NET NST PLT PNT PRT PST SST VST'.split(' '),
);
const LONGEST = 64;
const known = new LRUCache<string, boolean>({ max: 2_000 }); // bounded: the names come from clients

/**
 * Whether `name` is a zone or link of the IANA database, such as `Europe/Berlin`, `Asia/Calcutta` or `UTC`, written as
 * there: what we hand on is read by other programs, and most of them look it up with its case. Offsets such as `+02:00`
 * are none, for they say nothing about summer time.
 */
export function isTimeZone(name: string): boolean {
	if (name.length > LONGEST) return false;
	let real = known.get(name);
	if (real === undefined) {
		real = check(name);
		known.set(name, real);
	}
	return real;
}

function check(name: string): boolean {
	if (!/^[A-Z]/.test(name) || LEGACY.has(name) || name.startsWith('SystemV/')) return false;
	try {
		const canonical = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
		return canonical === name || canonical.toLowerCase() !== name.toLowerCase();
	} catch {
		return false;
	}
}
