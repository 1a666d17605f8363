import type { Clock } from '../../../../shared/clock.ts';
import { systemClock, timestamp } from '../../../../shared/clock.ts';
import type { Attempt } from './attempt.ts';
import type { LookUpName } from './look-up-name.ts';

export interface SenderOptions {
	/** Allows http and addresses that are not public (WEBHOOK_ALLOW_PRIVATE) */
	allowPrivate: boolean;
	clock?: Clock;
	lookup?: LookUpName;
	/** ms for name, connection, TLS, headers and body together; default 15,000 */
	timeout?: number;
	/** Attempts at one time; others wait, and their time begins when they begin; default 512 */
	concurrency?: number;
}

export interface OutboundMessage {
	url: string;
	headers: Record<string, string>;
	body: string;
	/** Ends the attempt, as a failure */
	signal?: AbortSignal;
}

/** Sends messages to customers' servers, which are nobody's friends. */
export class WebhookSender {
	readonly #clock: Clock;

	constructor({ clock = systemClock }: SenderOptions) {
		this.#clock = clock;
	}

	/** One attempt. Never rejects: what went wrong is in the attempt. */
	async send(_message: OutboundMessage): Promise<Attempt> {
		const at = timestamp(this.#clock.now());
		return { at, duration: 0, status: null, error: 'not sent', retry_after: null };
	}

	/** Ends running attempts, as failures; later ones fail at once. */
	async close(): Promise<void> {}
}
