import { createHash } from 'node:crypto';
import { ENABLED_PER_URL, WEBHOOKS_LIMIT } from '../../../../shared/contract/schemas/webhook.ts';
import { randomIndex } from '../../../../shared/engine/ids.ts';

/**
 * Limits that hold whatever runs at once: each webhook has one of its account's 25 allotments, and while it is enabled one
 * of the 5 that its account has for its URL. A unique index lets one webhook have an allotment; a webhook that needs none
 * holds a filler. The documents call them `place` and `url_place`.
 */

/** `<account>:<number>` */
export function allotmentsOf(account_id: string): string[] {
	return Array.from({ length: WEBHOOKS_LIMIT }, (_, number) => `${account_id}:${number}`);
}

/** `<account>:<hash of the URL>:<number>`. However the URL is spelled, what counts is what is asked for. */
export function urlAllotmentsOf(account_id: string, url: string): string[] {
	const hash = createHash('sha256').update(new URL(url).href).digest('base64url');
	return Array.from({ length: ENABLED_PER_URL }, (_, number) => `${account_id}:${hash}:${number}`);
}

/** One that is free, at random, because others choose at the same time; null where all are taken. */
export function chooseFree(allotments: string[], taken: string[]): string | null {
	const free = allotments.filter((each) => !taken.includes(each));
	return free.length === 0 ? null : free[randomIndex(free.length)]!;
}

/** Fills a unique key that this webhook does not use. */
export function filler(webhook_id: number): string {
	return `free:${webhook_id}`;
}
