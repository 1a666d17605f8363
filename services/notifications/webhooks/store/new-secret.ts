import { randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
/** Standard Webhooks asks for 24 to 64 */
const BYTES = 32;

/** A new signing secret, `whsec_` and base64, as the libraries of Standard Webhooks take it. */
export function newSecret(): string {
	return `${PREFIX}${randomBytes(BYTES).toString('base64')}`;
}

/** The key that a secret stands for. */
export function secretBytes(secret: string): Buffer {
	if (!secret.startsWith(PREFIX)) throw new Error(`a webhook secret begins with ${PREFIX}`);
	return Buffer.from(secret.slice(PREFIX.length), 'base64');
}
