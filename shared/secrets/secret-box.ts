import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const VERSION = 'v1';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A sealed text cannot be opened; the message says why, for the operator's log. It holds neither key nor text. */
export class CannotOpen extends Error {}

/**
 * Encrypts what must not lie readable in a store (promise W6). A sealed text is `v1.<key>.<nonce, ciphertext and tag>`:
 * `<key>` tells which SECRET_KEY sealed it, without telling anything of it. The first key seals, each of them opens.
 */
export class SecretBox {
	/** By what tells them */
	readonly #keys: ReadonlyMap<string, Buffer>;

	/** @param keys of 32 bytes each */
	constructor(keys: readonly Buffer[]) {
		if (keys.length === 0 || keys.some(({ length }) => length !== 32)) {
			throw new Error('the keys of a SecretBox have 32 bytes');
		}
		this.#keys = new Map(keys.map((key) => [idOf(key), key]));
	}

	/** What tells its keys, the one that seals first. */
	get keyIds(): string[] {
		return [...this.#keys.keys()];
	}

	/**
	 * @param context what the text belongs to, such as `webhook:42`; it opens under the same context only, so that a
	 * sealed text that was moved to another document is worth nothing there
	 */
	seal(text: string, context: string): string {
		const [[keyId, key]] = this.#keys as unknown as [[string, Buffer]];
		const nonce = randomBytes(NONCE_BYTES);
		const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
		cipher.setAAD(bound(keyId, context));
		const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
		return `${VERSION}.${keyId}.${sealed.toString('base64url')}`;
	}

	/** @throws CannotOpen where none of its keys sealed it, or where text or context are not what was sealed */
	open(sealed: string, context: string): string {
		const [version, keyId = '', content = '', ...rest] = sealed.split('.');
		const bytes = Buffer.from(content, 'base64url');
		if (version !== VERSION || rest.length > 0 || bytes.length < NONCE_BYTES + TAG_BYTES) {
			throw new CannotOpen('this is not a sealed text');
		}
		const key = this.#keys.get(keyId);
		if (key === undefined) throw new CannotOpen('it was sealed with another SECRET_KEY than the present one');
		const nonce = bytes.subarray(0, NONCE_BYTES);
		const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
		decipher.setAAD(bound(keyId, context));
		decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
		try {
			const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
			return Buffer.concat([text, decipher.final()]).toString('utf8');
		} catch {
			throw new CannotOpen('it was altered, or sealed for something else');
		}
	}

	/** Whether the first key sealed it. */
	isCurrent(sealed: string): boolean {
		return sealed.startsWith(`${VERSION}.${this.keyIds[0]}.`);
	}

	/**
	 * The same text, sealed by the first key; as it is where that sealed it.
	 * @throws CannotOpen
	 */
	sealAnew(sealed: string, context: string): string {
		return this.isCurrent(sealed) ? sealed : this.seal(this.open(sealed, context), context);
	}
}

function idOf(key: Buffer): string {
	return createHmac('sha256', key).update('slotwise key id').digest('hex').slice(0, 8);
}

function bound(keyId: string, context: string): Buffer {
	return Buffer.from(`${VERSION}.${keyId}.${context}`);
}
