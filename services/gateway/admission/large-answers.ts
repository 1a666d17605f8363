import { ApiError } from '../../../shared/contract/errors.ts';
import type { Reading } from '../../../shared/work/reading.ts';
import { standInLine } from './waiting-line.ts';

const MIB = 1024 * 1024;
/** Bytes from which on an answer is large */
export const LARGE = MIB;
/** Bytes of large answers that are on their way at once; a larger one goes alone */
const MOST_UNDER_WAY = 16 * MIB;
/** The same, where each is the only one of its account: nobody waits because others read slowly */
const MOST_OF_DIFFERENT = 96 * MIB;
/** Bytes of large answers that wait until they may go */
const MOST_WAITING = 96 * MIB;
/**
 * Where others wait: ms for which a client may take nothing, and bytes that it has to take in a second on the whole. The kernel tells of
 * progress in thirds of a buffer of 4 MiB, so of a client that takes just enough every 2.7 s.
 */
const STALLED = 4_000;
const LEAST_RATE = MIB / 2;
/** ms between two looks at who is too slow */
const LOOK_AGAIN = 250;

/** A large answer on its way. */
export interface Sending {
	/** @param bytes that the client took */
	taken(bytes: number): void;
	/** To be called at the end, also where it was cut; a second time does nothing. */
	end(): void;
}

interface UnderWay {
	owner: string;
	bytes: number;
	left: number;
	begun: number;
	takenAt: number;
	cut: () => void;
}

interface Waiter {
	owner: string;
	bytes: number;
	cut: () => void;
	line: (() => void)[];
	/** From when it may go */
	sending?: Sending;
}

/**
 * The large answers of an account go one after the other, as far as they have no room beside each other: handed over at once,
 * three of 10 MB were more than a process may keep for slow clients, and one was cut though its client read as fast as it
 * could. Accounts hardly wait for each other, and who has least under way is next. Only where somebody waits, a client
 * that takes nothing, or too little, is cut.
 */
export class LargeAnswers {
	readonly #underWay = new Set<UnderWay>();
	readonly #waiting: Waiter[] = [];
	#looking: NodeJS.Timeout | undefined;
	#dropped = 0;

	/** How many were cut since the start */
	get dropped(): number {
		return this.#dropped;
	}

	/** That are on their way, and that clients have not taken yet */
	get bytes(): number {
		return this.#left();
	}

	/**
	 * Waits until an answer may go.
	 * @param owner account
	 * @param reading of the request, which waits for half of the time that it has left
	 * @param cut ends the connection
	 * @throws service_unavailable where there was no room in that time, gateway_timeout where the client has gone
	 */
	async room(
		owner: string,
		bytes: number,
		reading: Pick<Reading, 'remaining' | 'onEnd'>,
		cut: () => void,
	): Promise<Sending> {
		if (this.#hasRoom(owner, bytes) && !this.#waiting.some((waiter) => waiter.owner === owner))
			return this.#begin(owner, bytes, cut);
		const waiting = this.#waiting.reduce((sum, waiter) => sum + waiter.bytes, 0);
		if (waiting + bytes > MOST_WAITING) throw new ApiError('service_unavailable');
		const waiter: Waiter = { owner, bytes, cut, line: [] };
		this.#waiting.push(waiter);
		this.#looking ??= setInterval(() => this.#cutSlow(), LOOK_AGAIN);
		await standInLine(waiter.line, reading.remaining() / 2, reading, () => this.#leave(waiter));
		return waiter.sending!;
	}

	#begin(owner: string, bytes: number, cut: () => void): Sending {
		const now = performance.now();
		const one: UnderWay = { owner, bytes, left: bytes, begun: now, takenAt: now, cut };
		this.#underWay.add(one);
		return {
			taken: (bytes) => {
				one.left -= bytes;
				one.takenAt = performance.now();
				this.#admit();
			},
			end: () => {
				if (this.#underWay.delete(one)) this.#admit();
			},
		};
	}

	#admit(): void {
		for (;;) {
			const fitting = this.#waiting.filter(({ owner, bytes }) => this.#hasRoom(owner, bytes));
			const next = fitting.reduce<Waiter | undefined>((least, waiter) => {
				return least === undefined || this.#left(waiter.owner) < this.#left(least.owner) ? waiter : least;
			}, undefined);
			if (next === undefined) return;
			this.#leave(next);
			next.sending = this.#begin(next.owner, next.bytes, next.cut);
			next.line.shift()!();
		}
	}

	#hasRoom(owner: string, bytes: number): boolean {
		const left = this.#left();
		const most = this.#left(owner) === 0 ? MOST_OF_DIFFERENT : MOST_UNDER_WAY;
		return left === 0 || left + bytes <= most;
	}

	/** Bytes that are on their way, to an account or to all */
	#left(owner?: string): number {
		let left = 0;
		for (const one of this.#underWay) if (owner === undefined || one.owner === owner) left += one.left;
		return left;
	}

	#leave(waiter: Waiter): void {
		this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
		if (this.#waiting.length > 0) return;
		clearInterval(this.#looking);
		this.#looking = undefined;
	}

	#cutSlow(): void {
		const now = performance.now();
		for (const one of this.#underWay) {
			const { bytes, left, begun, takenAt } = one;
			const expected = ((now - begun - STALLED) / 1_000) * LEAST_RATE;
			if (now - takenAt <= STALLED && bytes - left >= expected) continue;
			this.#underWay.delete(one);
			this.#dropped++;
			one.cut();
		}
		this.#admit();
	}
}
