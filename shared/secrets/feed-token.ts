import { hash } from 'node:crypto';
import { randomBase62 } from '../engine/ids.ts';

const RANDOM = 43; // base62 characters: 256 bits
const FILE = new RegExp(`^([0-9A-Za-z]{${RANDOM}})\\.ics$`);

/** The secret of a new calendar feed: whoever has it reads the feed. */
export function createFeedToken(): string {
	return randomBase62(RANDOM);
}

/** Where the feed of a token is read, on the host of the API. */
export function addressOfFeed(token: string): string {
	return `/calendar/${token}.ics`;
}

/** The token in the last segment of an address; undefined where it cannot be one: nobody looks for it. */
export function tokenOf(file: string): string | undefined {
	return FILE.exec(file)?.[1];
}

/** SHA-256, hex: all that is ever stored of a token, and all that crosses the bus once it was shown. */
export function hashFeedToken(token: string): string {
	return hash('sha256', token, 'hex');
}
