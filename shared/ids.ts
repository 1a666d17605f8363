import { randomBytes, randomInt } from 'node:crypto';

export const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** `length` random characters of `0-9A-Za-z`, each equally likely. */
export function randomBase62(length: number): string {
	let text = '';
	while (text.length < length) {
		for (const byte of randomBytes(length)) {
			if (byte < 248 && text.length < length) text += BASE62[byte % 62]; // 248 = 4 × 62: no character is favoured
		}
	}
	return text;
}

/** Integer from 0 to `limit` - 1, each equally likely. */
export function randomIndex(limit: number): number {
	return randomInt(limit);
}
