import { LRUCache } from 'lru-cache';
import { randomBase62 } from '../engine/ids.ts';
import type { Standstill } from '../process/standstill.ts';

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
