import { createHmac } from 'node:crypto';
import { secretBytes } from '../store/secrets.ts';

export type SignatureHeaders = Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>;

export interface SignedMessage {
	/** Stable over retries: a receiver tells duplicates by it */
	id: string;
	/** Unix time of this attempt in seconds; receivers refuse what is older than 5 minutes */
	timestamp: number;
	/** Exactly as it is sent */
	body: string;
	/** `whsec_…`, at least one; during a rotation the new one first, then the old one */
	secrets: readonly string[];
}

/** The headers of Standard Webhooks 1.0: HMAC-SHA256 over `<id>.<timestamp>.<body>`, one signature for each secret. */
export function sign({ id, timestamp, body, secrets }: SignedMessage): SignatureHeaders {
	const text = `${id}.${timestamp}.${body}`;
	const signatures = secrets.map((secret) => {
		return `v1,${createHmac('sha256', secretBytes(secret)).update(text).digest('base64')}`;
	});
	return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signatures.join(' ') };
}
