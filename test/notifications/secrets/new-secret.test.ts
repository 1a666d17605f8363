import { expect, test } from '@jest/globals';
import { newSecret, secretBytes } from '../../../services/notifications/webhooks/store/secrets.ts';

test('When a secret is made, then it is whsec_ and the base64 of 32 random bytes', () => {
	const secrets = Array.from({ length: 100 }, newSecret);
	expect(new Set(secrets).size).toBe(100);
	for (const secret of secrets) {
		expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
		expect(secretBytes(secret)).toHaveLength(32);
	}
});
