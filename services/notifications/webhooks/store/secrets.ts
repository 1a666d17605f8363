import { randomBytes } from 'node:crypto';
import { SKEW } from '../../../../shared/engine/clock.ts';
import { CannotOpen, type SecretBox } from '../../../../shared/secrets/secret-box.ts';
import type { WebhookDocument } from './webhook.model.ts';

const PREFIX = 'whsec_';
/** Standard Webhooks asks for 24 to 64 */
const BYTES = 32;

/** ms for which an old secret signs as well after a rotation: 24 h (contract §8) by every process' clock */
export const OVERLAP = 24 * 3_600_000 + SKEW;
/** Old secrets that are kept where a client rotates again and again */
const MOST_OLD = 4;

/** A new signing secret, `whsec_` and base64, as the libraries of Standard Webhooks take it. */
export function newSecret(): string {
	return `${PREFIX}${randomBytes(BYTES).toString('base64')}`;
}

/** The key that a secret stands for. */
export function secretBytes(secret: string): Buffer {
	if (!secret.startsWith(PREFIX)) throw new Error(`a webhook secret begins with ${PREFIX}`);
	return Buffer.from(secret.slice(PREFIX.length), 'base64');
}

export function sealSecret(box: SecretBox, webhook_id: number, secret: string): string {
	return box.seal(secret, secretContext(webhook_id));
}

/**
 * The secrets that sign a delivery now: the present one first, then those that were rotated out in the last 24 h.
 * @throws CannotOpen where the present one was sealed with another SECRET_KEY
 */
export function openSecrets(box: SecretBox, webhook: WebhookDocument, now: number): string[] {
	const context = secretContext(webhook._id);
	const old = stillSigning(webhook, now).flatMap(({ secret }) => openIfPossible(box, secret, context));
	return [box.open(webhook.secret, context), ...old];
}

/** A rotation must help where SECRET_KEY was lost: an old secret that stays closed does not sign along. */
function openIfPossible(box: SecretBox, sealed: string, context: string): string[] {
	try {
		return [box.open(sealed, context)];
	} catch (error) {
		if (error instanceof CannotOpen) return [];
		throw error;
	}
}

/** What the fields become when `secret` (sealed) replaces the present one. */
export function rotated(webhook: WebhookDocument, secret: string, now: number) {
	const old = { secret: webhook.secret, until: now + OVERLAP };
	return { secret, old_secrets: [old, ...stillSigning(webhook, now)].slice(0, MOST_OLD) };
}

/** The first answer to a creation holds the secret, so it is kept sealed. */
export function sealAnswer(box: SecretBox, webhook_id: number, answer: unknown): string {
	return box.seal(JSON.stringify(answer), answerContext(webhook_id));
}

export function openAnswer<T>(box: SecretBox, webhook_id: number, sealed: string): T {
	return JSON.parse(box.open(sealed, answerContext(webhook_id))) as T;
}

type Sealed = Pick<WebhookDocument, 'secret' | 'old_secrets' | 'idempotency'>;

/** Whether the first key sealed all that is sealed of a webhook. */
export function isSealedAnew(box: SecretBox, { secret, old_secrets, idempotency }: Sealed): boolean {
	const texts = [secret, ...old_secrets.map((old) => old.secret), ...(idempotency ? [idempotency.answer] : [])];
	return texts.every((text) => box.isCurrent(text));
}

/** What is sealed of a webhook, by the first key; what signs no more is left out. Undefined where something stays closed. */
export function sealedAnew(box: SecretBox, webhook: WebhookDocument, now: number): Sealed | undefined {
	const { _id, secret, idempotency } = webhook;
	const [context, ofAnswer] = [secretContext(_id), answerContext(_id)];
	try {
		return {
			secret: box.sealAnew(secret, context),
			old_secrets: stillSigning(webhook, now).map((old) => ({ ...old, secret: box.sealAnew(old.secret, context) })),
			idempotency: idempotency && { ...idempotency, answer: box.sealAnew(idempotency.answer, ofAnswer) },
		};
	} catch (error) {
		if (error instanceof CannotOpen) return undefined;
		throw error;
	}
}

function stillSigning(webhook: WebhookDocument, now: number) {
	return webhook.old_secrets.filter(({ until }) => until > now);
}

function secretContext(webhook_id: number): string {
	return `webhook:${webhook_id}`;
}

function answerContext(webhook_id: number): string {
	return `webhook:${webhook_id}:answer`;
}
