import { setImmediate as turn } from 'node:timers/promises';
import { type Transit, Transporters } from 'moleculer';
import type { NatsConnection, Subscription } from 'nats';
import { standstill } from '../process/standstill.ts';
import { DEFAULT_TIMEOUT } from '../work/deadline.ts';
import { MessageAges, type Sending } from './message-ages.ts';

/** What Moleculer's NATS transporter keeps, which its typing lacks. */
interface Inside {
	client: NatsConnection | null;
	subscriptions: Subscription[];
	transit: Transit & { sendPing(nodeID: string, id: string): Promise<void> };
}

/** What every message has beside what Moleculer puts into it. */
interface Payload extends Partial<Sending> {
	sender: string;
	/** Of a request: ms that its caller still waited when it was sent */
	timeout?: number;
	/** Of a ping, and of its answer */
	id?: string;
}

/** As Moleculer makes and reads it */
type Packet = ReturnType<Transporters.NATS['deserialize']>;

/** ms; a message that was late by more has its sender asked how late it is now */
const SUSPICIOUS = 1_000;
/** ms after which a sender that did not answer is asked again */
const ASK_AGAIN = 1_000;

/**
 * Moleculer's NATS transporter, without its gaps. Each time a node tells the others what it serves, which it also does a
 * second after its start and when it ends, Moleculer's own drops its queue subscriptions and then makes them anew:
 * requests that NATS has already handed to this process are lost, and their callers wait until their deadline. Here the
 * new subscriptions are there before the old ones go, and the old ones first serve what they were handed.
 *
 * And a request arrives with what is left of its time now, wherever it lay since it was sent (docs/adr/0024).
 */
export class NatsTransporter extends Transporters.NATS {
	#turnsEnd: Promise<void> | undefined;
	readonly #ages = new MessageAges(standstill);
	/** When each sender was asked last, by its id */
	readonly #asked = new Map<string, number>();

	/** What is sent in one turn of the event loop leaves with one write: a write costs more than all else of a message. */
	override async send(topic: string, data: Buffer): Promise<void> {
		this.#turnsEnd ??= turn().then(() => {
			this.#turnsEnd = undefined;
		});
		await this.#turnsEnd;
		await super.send(topic, data);
	}

	override serialize(packet: Packet): Buffer {
		Object.assign(packet.payload, this.#ages.sending());
		return super.serialize(packet);
	}

	override deserialize(type: string, data: Buffer): Packet {
		const packet = super.deserialize(type, data);
		const payload = packet.payload as Payload;
		const age = this.#ageOf(payload);
		// never 0, which would be no limit; one that has passed is refused where the action would begin
		if (type === 'REQ') payload.timeout = (payload.timeout || DEFAULT_TIMEOUT) - age || -1;
		if (type === 'PONG') this.#answered(payload);
		return packet;
	}

	#ageOf({ sender, clock, sent }: Payload): number {
		if (clock === undefined || sent === undefined) return standstill.age();
		const age = this.#ages.ageOf({ clock, sent });
		if (age > SUSPICIOUS) this.#ask(sender);
		return age;
	}

	#ask(sender: string): void {
		const { now } = this.#ages;
		if (now - (this.#asked.get(sender) ?? Number.NEGATIVE_INFINITY) < ASK_AGAIN) return;
		this.#asked.set(sender, now);
		void (this as unknown as Inside).transit.sendPing(sender, `late:${now}`);
	}

	#answered({ id, clock, sent }: Payload): void {
		if (!id?.startsWith('late:') || clock === undefined || sent === undefined) return;
		this.#ages.answered({ clock, sent }, Number(id.slice('late:'.length)));
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
