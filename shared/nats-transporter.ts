import { setImmediate as turn } from 'node:timers/promises';
import { Transporters } from 'moleculer';
import type { NatsConnection, Subscription } from 'nats';

/** What Moleculer's NATS transporter keeps, which its typing lacks. */
interface Inside {
	client: NatsConnection | null;
	subscriptions: Subscription[];
}

/**
 * Moleculer's NATS transporter, without its gaps. Each time a node tells the others what it serves, which it also does a
 * second after its start and when it ends, Moleculer's own drops its queue subscriptions and then makes them anew:
 * requests that NATS has already handed to this process are lost, and their callers wait until their deadline. Here the
 * new subscriptions are there before the old ones go, and the old ones first serve what they were handed.
 */
export class NatsTransporter extends Transporters.NATS {
	#turnsEnd: Promise<void> | undefined;

	/** What is sent in one turn of the event loop leaves with one write: a write costs more than all else of a message. */
	override async send(topic: string, data: Buffer): Promise<void> {
		this.#turnsEnd ??= turn().then(() => {
			this.#turnsEnd = undefined;
		});
		await this.#turnsEnd;
		await super.send(topic, data);
	}

	override async makeBalancedSubscriptions(): Promise<void> {
		const inside = this as unknown as Inside;
		const old = inside.subscriptions;
		inside.subscriptions = [];
		await super.makeBalancedSubscriptions();
		await inside.client?.flush();
		await Promise.all(old.map((subscription) => (subscription.isClosed() ? undefined : subscription.drain())));
	}
}
