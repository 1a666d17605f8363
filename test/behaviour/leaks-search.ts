import { expect } from '@jest/globals';
import { hashApiKey } from '../../shared/secrets/api-key.ts';
import { hashFeedToken } from '../../shared/secrets/feed-token.ts';
import type { Secrets } from './leaks-session.ts';

/** A raw key is 36 characters after its prefix, of which 30 are random: those alone would be enough to use it. */
const ANY_KEY = /slw_[0-9A-Za-z]{36}/;

/** What is found of a key in `bytes`, in any of the forms in which it would be of use. */
function keysIn(bytes: Buffer, keys: string[]): string[] {
	const text = bytes.toString('latin1');
	const found = keys.filter((key) => text.includes(key.slice(4, 34)) || text.includes(base64(key)));
	return [...found, ...(ANY_KEY.exec(text) ?? [])];
}

/** The same of webhook secrets: as shown, and the bytes that sign. */
function secretsIn(bytes: Buffer, secrets: string[]): string[] {
	return secrets.filter((secret) => {
		const encoded = secret.replace(/^whsec_/, '');
		const key = Buffer.from(encoded, 'base64');
		return bytes.includes(encoded) || bytes.includes(key) || bytes.includes(key.toString('hex'));
	});
}

/** As it is in the address, and by half, however it is cut */
const tokensIn = (bytes: Buffer, tokens: string[]) => tokens.filter((token) => bytes.includes(token.slice(0, 20)));

const base64 = (key: string) => Buffer.from(key).toString('base64').slice(0, 40);

/** A2, F1, W6: a store holds hashes of keys and of feeds' tokens, and webhook secrets sealed. */
export function expectStoreWithoutSecrets(bytes: Buffer, { keys, webhookSecrets, feedTokens, kept }: Secrets): void {
	expect(bytes.includes(hashApiKey(keys[0]!))).toBe(true);
	expect(bytes.includes(kept)).toBe(true);
	expect(bytes.includes(hashFeedToken(feedTokens[0]!))).toBe(true);
	expect(tokensIn(bytes, feedTokens)).toEqual([]);
	expect(keysIn(bytes, keys)).toEqual([]);
	expect(secretsIn(bytes, webhookSecrets)).toEqual([]);
}

/** A2, A9: nothing of it is in what was logged, or in Redis. */
export function expectNothingOf(bytes: Buffer, { keys, webhookSecrets, feedTokens, personal }: Secrets): void {
	const text = bytes.toString('utf8').toLowerCase();
	expect(keysIn(bytes, keys)).toEqual([]);
	expect(secretsIn(bytes, webhookSecrets)).toEqual([]);
	expect(tokensIn(bytes, feedTokens)).toEqual([]);
	expect(personal.filter((words) => text.includes(words.toLowerCase()))).toEqual([]);
	expect(text).not.toContain('leak.example'); // every address of the session, however it is cut
}

/** A2: a key does not travel: services know hashes. */
export function expectNoKey(bytes: Buffer, { keys }: Secrets): void {
	expect(bytes.includes(hashApiKey(keys[0]!))).toBe(true);
	expect(keysIn(bytes, keys)).toEqual([]);
}
