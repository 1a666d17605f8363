import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { newSecret } from '../../../services/notifications/webhooks/store/secrets.ts';
import { CannotOpen, SecretBox } from '../../../shared/secrets/secret-box.ts';

const key = randomBytes(32);
const box = new SecretBox([key]);
const secret = newSecret();

function whyNot(sealed: string, context = 'webhook:1', by = box): string {
	try {
		return `opened: ${by.open(sealed, context)}`;
	} catch (error) {
		if (error instanceof CannotOpen) return error.message;
		throw error;
	}
}

describe('W6: what is sealed', () => {
	test('When a text was sealed, then the same key opens it under the same context, also in another process', () => {
		fc.assert(
			fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (text, context) => {
				return new SecretBox([Buffer.from(key)]).open(box.seal(text, context), context) === text;
			}),
		);
	});

	test('When one text is sealed twice, then nothing shows that it is the same, nor what it is', () => {
		const [first, second] = [box.seal(secret, 'webhook:1'), box.seal(secret, 'webhook:1')];
		const content = (sealed: string) => sealed.split('.')[2];
		expect(content(first)).not.toBe(content(second));
		for (const readable of [secret, secret.slice(6), key.toString('base64')]) expect(first).not.toContain(readable);
		expect(Buffer.from(content(first)!, 'base64url').toString('latin1')).not.toContain('whsec_');
	});

	test('When any one bit is flipped, then it does not open', () => {
		const sealed = box.seal(secret, 'webhook:1');
		const [version, keyId, content] = sealed.split('.');
		const bytes = Buffer.from(content!, 'base64url');
		for (let bit = 0; bit < bytes.length * 8; bit++) {
			const flipped = Buffer.from(bytes);
			flipped[bit >> 3]! ^= 1 << (bit & 7);
			const altered = `${version}.${keyId}.${flipped.toString('base64url')}`;
			expect(whyNot(altered)).toBe('it was altered, or sealed for something else');
		}
	});

	test('When it is cut, then it does not open', () => {
		const sealed = box.seal('', 'webhook:1');
		for (let length = 0; length < sealed.length; length++) {
			expect(whyNot(sealed.slice(0, length))).toMatch(/^(this is not a sealed text|it was altered|it was sealed with)/);
		}
		expect(whyNot(`${sealed}.`)).toBe('this is not a sealed text');
		expect(whyNot(sealed.replace('v1.', 'v2.'))).toBe('this is not a sealed text');
		expect(whyNot(secret)).toBe('this is not a sealed text');
	});

	test('When it is moved to another webhook, then it does not open', () => {
		expect(whyNot(box.seal(secret, 'webhook:1'), 'webhook:2')).toBe('it was altered, or sealed for something else');
	});

	test('When SECRET_KEY is another one, then that is said, and no part of a key', () => {
		const other = new SecretBox([randomBytes(32)]);
		const why = whyNot(box.seal(secret, 'webhook:1'), 'webhook:1', other);
		expect(why).toBe('it was sealed with another SECRET_KEY than the present one');
	});

	test('D4: When there is a second key, then both open, and the first one seals', () => {
		const old = randomBytes(32);
		const both = new SecretBox([key, old]);
		const sealed = new SecretBox([old]).seal(secret, 'webhook:1');
		expect(both.open(sealed, 'webhook:1')).toBe(secret);
		expect(both.isCurrent(sealed)).toBe(false);
		const anew = both.sealAnew(sealed, 'webhook:1');
		expect(both.isCurrent(anew)).toBe(true);
		expect(box.open(anew, 'webhook:1')).toBe(secret);
		expect(both.sealAnew(anew, 'webhook:1')).toBe(anew);
		expect(() => both.sealAnew(sealed, 'webhook:2')).toThrow('it was altered, or sealed for something else');
	});

	test('When the key has not 32 bytes, then there is no box', () => {
		for (const length of [0, 16, 31, 33]) expect(() => new SecretBox([Buffer.alloc(length)])).toThrow('32 bytes');
		expect(() => new SecretBox([])).toThrow('32 bytes');
	});
});
