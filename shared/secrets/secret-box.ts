import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const VERSION = 'v1';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A sealed text cannot be opened; the message says why, for the operator's log. It holds neither key nor text. */
export class CannotOpen extends Error {}

/**
 * Encrypts what must not lie readable in a store (promise W6). A sealed text is `v1.<key>.<nonce, ciphertext and tag>`:
 * `<key>` tells which SECRET_KEY sealed it, without telling anything of it, so that one day several can be held.
 */
export class SecretBox {
	readonly #key: Buffer;
	readonly #keyId: string;

	/** @param key 32 bytes */
	constructor(key: Buffer) {
		if (key.length !== 32) throw new Error('the key of a SecretBox has 32 bytes');
		this.#key = key;
		this.#keyId = createHmac('sha256', key).update('slotwise key id').digest('hex').slice(0, 8);
	}

	/**
	 * @param context what the text belongs to, such as `webhook:42`; it opens under the same context only, so that a
	 * sealed text that was moved to another document is worth nothing there
	 */
	seal(text: string, context: string): string {
		const nonce = randomBytes(NONCE_BYTES);
		const cipher = createCipheriv(CIPHER, this.#key, nonce, { authTagLength: TAG_BYTES });
		cipher.setAAD(this.#bound(context));
		const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
		return `${VERSION}.${this.#keyId}.${sealed.toString('base64url')}`;
	}

	/** @throws CannotOpen where another key sealed it, or where text or context are not what was sealed */
	open(sealed: string, context: string): string {
		const [version, keyId, content = '', ...rest] = sealed.split('.');
		const bytes = Buffer.from(content, 'base64url');
		if (version !== VERSION || rest.length > 0 || bytes.length < NONCE_BYTES + TAG_BYTES) {
			throw new CannotOpen('this is not a sealed text');
		}
		if (keyId !== this.#keyId) throw new CannotOpen('it was sealed with another SECRET_KEY than the present one');
		const nonce = bytes.subarray(0, NONCE_BYTES);
		const decipher = createDecipheriv(CIPHER, this.#key, nonce, { authTagLength: TAG_BYTES });
		decipher.setAAD(this.#bound(context));
		decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
		try {
			const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
			return Buffer.concat([text, decipher.final()]).toString('utf8');
		} catch {
			throw new CannotOpen('it was altered, or sealed for something else');
		}
	}

	#bound(context: string): Buffer {
		return Buffer.from(`${VERSION}.${this.#keyId}.${context}`);
	}
}
