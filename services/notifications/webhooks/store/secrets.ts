import { SKEW } from '../../../../shared/engine/clock.ts';
import { CannotOpen, type SecretBox } from '../../../../shared/secrets/secret-box.ts';
import type { WebhookDocument } from './webhook.model.ts';

/** ms that an old secret signs along after a rotation: 24 h (contract §8) by every process' clock */
export const OVERLAP = 24 * 3_600_000 + SKEW;
/** Old secrets that are kept where a client rotates again and again */
const MOST_OLD = 4;

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

function stillSigning(webhook: WebhookDocument, now: number) {
	return webhook.old_secrets.filter(({ until }) => until > now);
}

function secretContext(webhook_id: number): string {
	return `webhook:${webhook_id}`;
}

function answerContext(webhook_id: number): string {
	return `webhook:${webhook_id}:answer`;
}
