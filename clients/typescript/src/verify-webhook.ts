import type { Event } from './api.ts';

/** What is posted to a webhook: an event of the feed, or the one that `testWebhook` sends. */
export type WebhookEvent =
	| Event
	| { id: string; type: 'webhook.test'; timestamp: string; sequence?: undefined; data: unknown };

/** Headers of the request: those of `fetch`, or an object such as that of `node:http`. */
export type WebhookHeaders =
	| { get(name: string): string | null }
	| Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
	/** Seconds that the timestamp may be away from this clock; default 300 */
	tolerance?: number;
	/** ms; default: this clock */
	now?: number;
}

/** The request is not from Slotwise, or it is old. Answer 401, and do nothing else. */
export class WebhookVerificationError extends Error {
	override readonly name = 'WebhookVerificationError';
}

/**
 * The event of a request, by Standard Webhooks 1.0.
 * @param body as it came, byte by byte: JSON that was parsed and written again is another text
 * @param secret `whsec_…`, or several of which one is right
 * @throws WebhookVerificationError
 */
export async function verifyWebhook(
	body: string | Uint8Array,
	headers: WebhookHeaders,
	secret: string | readonly string[],
	{ tolerance = 300, now = Date.now() }: VerifyOptions = {},
): Promise<WebhookEvent> {
	const id = header(headers, 'webhook-id');
	const timestamp = header(headers, 'webhook-timestamp');
	if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now / 1000 - Number(timestamp)) > tolerance) {
		throw new WebhookVerificationError(`webhook-timestamp is more than ${tolerance} s from now`);
	}
	const text = typeof body === 'string' ? new TextEncoder().encode(body) : body;
	const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), text);
	const signatures = header(headers, 'webhook-signature')
		.split(' ')
		.filter((one) => one.startsWith('v1,'));
	for (const one of typeof secret === 'string' ? [secret] : secret) {
		const key = await keyOf(one);
		for (const signature of signatures) {
			const bytes = decoded(signature.slice(3));
			// It compares in constant time.
			if (bytes && (await crypto.subtle.verify('HMAC', key, bytes, signed))) return eventOf(id, text);
		}
	}
	throw new WebhookVerificationError('no signature is by this secret');
}

function header(headers: WebhookHeaders, name: string): string {
	const { get } = headers;
	const value = typeof get === 'function' ? get.call(headers, name) : (headers as Record<string, unknown>)[name];
	if (typeof value !== 'string' || value === '') throw new WebhookVerificationError(`${name} is missing`);
	return value;
}

function keyOf(secret: string): ReturnType<typeof crypto.subtle.importKey> {
	const bytes = decoded(secret.replace(/^whsec_/, ''));
	if (!bytes?.length) throw new TypeError('the secret of a webhook is whsec_ and base64');
	return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

function decoded(base64: string): Uint8Array<ArrayBuffer> | undefined {
	try {
		return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
	} catch {
		return undefined;
	}
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
	const all = new Uint8Array(first.length + second.length);
	all.set(first);
	all.set(second, first.length);
	return all;
}

function eventOf(id: string, text: Uint8Array): WebhookEvent {
	return { ...(JSON.parse(new TextDecoder().decode(text)) as WebhookEvent), id };
}
