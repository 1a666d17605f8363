import type { Webhook } from './schemas/webhook.ts';

/** A webhook, and where its queue stands. Counts are exact up to 10,000; 10,001 stands for more. */
export interface WebhookReport extends Webhook {
	/** Deliveries that wait for an attempt */
	waiting: number;
	/** Deliveries that were given up in the last 30 days */
	failed: number;
}

/** What waits in all webhooks' queues. */
export interface BacklogReport {
	/** Deliveries that wait for an attempt, retries included; exact up to 10,000 */
	waiting: number;
	/** ms for which the oldest attempt has been due; 0 where none is */
	oldest: number;
	/** Webhooks of which every attempt fails, those that have failed the longest first; at most 100 */
	failing: { account_id: string; webhook_id: number; since: string }[];
}

/** An event, without the customer that it names. */
export interface EventReport {
	sequence: number;
	id: string;
	type: string;
	timestamp: string;
	booking_id: number;
}
