import { randomFillSync, randomInt } from 'node:crypto';

export const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Random bytes that nothing was made of yet: asking the system for each id costs more than the id. */
const pool = new Uint8Array(4_096);
let used = pool.length;

function randomByte(): number {
	if (used === pool.length) {
		randomFillSync(pool);
		used = 0;
	}
	const byte = pool[used]!;
	pool[used++] = 0; // no dump of memory tells what was given out
	return byte;
}

/** `length` random characters of `0-9A-Za-z`, each equally likely. */
export function randomBase62(length: number): string {
	let text = '';
	while (text.length < length) {
		const byte = randomByte();
		if (byte < 248) text += BASE62[byte % 62]; // 248 = 4 × 62: no character is favoured
	}
	return text;
}

/** Integer from 0 to `limit` - 1, each equally likely. */
export function randomIndex(limit: number): number {
	return randomInt(limit);
}
