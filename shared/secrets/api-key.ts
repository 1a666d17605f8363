import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { BASE62, randomBase62 } from '../engine/ids.ts';

const PATTERN = /^slw_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/;

/** A new key: `slw_`, 30 random base62 characters, 6 of checksum (contract §5). */
export function createApiKey(): string {
	const random = randomBase62(30);
	return `slw_${random}${checksum(random)}`;
}

/** Whether the checksum is right: a mistyped key is refused without a look-up (promise A1). */
export function isWellFormedApiKey(key: string): boolean {
	const match = PATTERN.exec(key);
	return match !== null && checksum(match[1]!) === match[2];
}

/** SHA-256, hex: all that is ever stored of a key. */
export function hashApiKey(key: string): string {
	return hash('sha256', key, 'hex');
}

/** CRC-32/IEEE of the characters as ASCII, in base62, left-padded with `0` to 6. */
function checksum(random: string): string {
	let value = crc32(random);
	let text = '';
	while (value > 0) {
		text = BASE62[value % 62] + text;
		value = Math.floor(value / 62);
	}
	return text.padStart(6, '0');
}
