import { setImmediate as turn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { type Transit, Transporters } from 'moleculer';
import type { NatsConnection, Subscription } from 'nats';
import { randomBase62 } from '../engine/ids.ts';
import { type Standstill, standstill } from '../process/standstill.ts';
import { DEFAULT_TIMEOUT } from '../work/deadline.ts';

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

/** When a message left: ms of its sender's monotonic clock, and which clock that is: that of one life of a process. */
export interface Sending {
	clock: string;
	sent: number;
}

const MINUTE = 60_000; // ms
/** Minutes whose shortest ways are remembered: two clocks drift apart by 60 ms in that time, at 100 ppm */
const REMEMBERED = 10;
/** Clocks of other processes */
const MOST_CLOCKS = 1_000;

/**
 * How long a message was on its way: in a socket of a process that stood still, in a server between, in a client that
 * lost its connection. Clocks of two processes have nothing in common, so only differences are compared, as LEDBAT does
 * (RFC 6817): the smallest `received − sent` of a sender was its quickest message, and what another one has above that,
 * it was late by. Every message counts, so heartbeats have measured the way before the first request comes.
 *
 * A sender that was first heard while this process caught up after a standstill has no message yet that is known to have
 * been quick; its messages count as old as the standstill was long.
 */
export class MessageAges {
	readonly #clock = randomBase62(8);
	readonly #ways = new LRUCache<string, Way>({ max: MOST_CLOCKS });
	readonly #standstill: Standstill;
	readonly #now: () => number;

	/** @param now monotonic ms */
	constructor(standstill: Standstill, now: () => number = () => performance.now()) {
		this.#standstill = standstill;
		this.#now = now;
	}

	/** Of a message that leaves now. */
	sending(): Sending {
		return { clock: this.#clock, sent: this.#now() };
	}

	/** @returns ms that a message was late which is received now, to be called for each */
	ageOf({ clock, sent }: Sending): number {
		const now = this.#now();
		const caughtUp = this.#standstill.age();
		let way = this.#ways.get(clock);
		if (way === undefined) {
			way = new Way(now);
			this.#ways.set(clock, way);
		}
		const late = way.note(now - sent, now);
		return way.since > this.#standstill.began ? Math.max(late, caughtUp) : late;
	}

	/**
	 * Corrects what is known of a sender by an answer of its to a question of ours. It left after the question did, so its
	 * clock cannot be further behind: where it seems to be, it was suspended, and every message would look late.
	 * @param asked when the question left, by our clock
	 */
	answered({ clock, sent }: Sending, asked: number): void {
		const way = this.#ways.get(clock);
		if (way !== undefined && way.shortest < asked - sent) way.restart(this.#now() - sent, this.#now());
	}

	get now(): number {
		return this.#now();
	}
}

/** The way of one sender's messages: the smallest difference of the clocks in each of the last minutes. */
class Way {
	/** When the sender was first heard */
	readonly since: number;
	#minima: number[] = [];
	#minute = Number.NEGATIVE_INFINITY;

	constructor(since: number) {
		this.since = since;
	}

	get shortest(): number {
		return Math.min(...this.#minima);
	}

	/** @returns ms above the shortest */
	note(difference: number, now: number): number {
		const minute = Math.floor(now / MINUTE);
		const last = this.#minima.length - 1;
		if (minute !== this.#minute) this.#minima = [...this.#minima.slice(1 - REMEMBERED), difference];
		else if (difference < this.#minima[last]!) this.#minima[last] = difference;
		this.#minute = minute;
		return difference - this.shortest;
	}

	restart(difference: number, now: number): void {
		this.#minima = [];
		this.note(difference, now);
		this.#minima = [difference];
	}
}
