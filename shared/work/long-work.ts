import { ApiError } from '../contract/errors.ts';
import { Reading } from './reading.ts';

/** ms that long work takes in one go: what everything else in the process may have to wait for it */
const SLICE = 0.5;
/** Rounds of the event loop between two slices of anybody's: in them the short requests go on, of which each needs a few */
const ROUNDS = 3;
/** Beside short requests, long work rests for so many times what its last slice took, ms at most */
const REST = 2;
const MOST_REST = 20;
/** ms after a short request in which its client may send the next one: it would meet a slice each time */
const LULL = 2;
/** Units from which on work is dear, and how many dear ones of an account are at work at once in a process */
const DEAR = 1_000;
const MOST_DEAR = 2;
/** ms of a timer at most; a read that is not to be stopped has no end */
const LONGEST = 2 ** 31 - 1;

interface Waiter {
	reading: Reading | undefined;
	go(): void;
	stop(error: unknown): void;
}

interface Line {
	/** In order of arrival */
	waiting: Waiter[];
	/** ms of work that the account was given, counted from what the busiest idle one could have had: its virtual time */
	served: number;
	/** Dear reads at work, and those that wait for a permit */
	dear: number;
	forPermit: Waiter[];
}

/**
 * Decides who goes on with long work: one slice at a time in the whole process. The next slice is of the account that was
 * served least (start-time fair queueing, Goyal, Vin and Cheng 1996, weighed by the time that a slice took). So an account
 * gets its share, however many or heavy its requests are, and all of it where it is alone. Short requests come first:
 * while there are any, long work has a third of the time.
 */
class LongWork {
	readonly #lines = new Map<string, Line>();
	#virtual = 0;
	#pumping = false;
	#restUntil = 0;
	/** Short requests under way, and when the last one ended */
	#short = 0;
	#shortEnded = Number.NEGATIVE_INFINITY;

	shortBegins(): void {
		this.#short++;
	}

	shortEnds(): void {
		this.#short--;
		this.#shortEnded = performance.now();
	}

	/** One that began short goes on as long work. */
	shortBecomesLong(): void {
		this.#short--;
	}

	/** Who a read belongs to; all work of nobody's, such as sweeps, is one account's. */
	lineOf(reading: Reading | undefined): [string, Line] {
		const account = reading?.account ?? '';
		let line = this.#lines.get(account);
		if (line === undefined) {
			line = { waiting: [], served: this.#virtual, dear: 0, forPermit: [] };
			this.#lines.set(account, line);
		}
		return [account, line];
	}

	/** @param taken ms of a slice that ended */
	spent(reading: Reading | undefined, taken: number): Line {
		const [, line] = this.lineOf(reading);
		line.served = Math.max(line.served, this.#virtual) + taken;
		this.#restUntil = Math.max(this.#restUntil, performance.now() + Math.min(REST * taken, MOST_REST));
		return line;
	}

	/** @param taken ms of the slice that ended */
	next(reading: Reading | undefined, taken: number): Promise<void> {
		const line = this.spent(reading, taken);
		return new Promise((go, stop) => {
			line.waiting.push({ reading, go, stop });
			this.#pump();
		});
	}

	/** A permit for a dear read of the account; the same `leave` must follow. */
	async enter(reading: Reading): Promise<void> {
		const [, line] = this.lineOf(reading);
		if (line.dear < MOST_DEAR) {
			line.dear++;
			return;
		}
		await new Promise<void>((go, stop) => {
			const waiter: Waiter = { reading, go, stop };
			const end = (error: unknown) => {
				clearTimeout(timer);
				const at = line.forPermit.indexOf(waiter);
				if (at === -1) return;
				line.forPermit.splice(at, 1);
				stop(error);
			};
			// What would only be served when half of its time is gone is refused, as overload is.
			const patience = Math.min(reading.remaining() / 2, LONGEST);
			const timer = setTimeout(() => end(new ApiError('service_unavailable')), patience);
			reading.onEnd(() => end(new ApiError('gateway_timeout')));
			waiter.go = () => {
				clearTimeout(timer);
				go();
			};
			line.forPermit.push(waiter);
		});
	}

	leave(reading: Reading): void {
		const [account, line] = this.lineOf(reading);
		const next = line.forPermit.shift();
		if (next === undefined) line.dear--;
		else next.go();
		this.#forget(account, line);
	}

	#pump(): void {
		if (this.#pumping) return;
		this.#pumping = true;
		let rounds = ROUNDS;
		const round = () => {
			if (rounds-- > 0) return void setImmediate(round);
			const now = performance.now();
			const rest = this.#restUntil - now;
			const isBesideShort = this.#short > 0 || now - this.#shortEnded < LULL;
			if (isBesideShort && rest > 0) return void setTimeout(round, rest);
			this.#pumping = false;
			const waiter = this.#take();
			if (waiter === undefined) return;
			waiter.go(); // it runs as a microtask, before the next round
			this.#pump();
		};
		round();
	}

	/** The next to go on; those whose read nobody waits for go at once. */
	#take(): Waiter | undefined {
		for (;;) {
			const due = [...this.#lines].filter(([, line]) => line.waiting.length > 0);
			if (due.length === 0) return undefined;
			const [account, line] = due.reduce((least, each) => (each[1].served < least[1].served ? each : least));
			const waiter = line.waiting.shift()!;
			this.#virtual = Math.max(this.#virtual, line.served);
			this.#forget(account, line);
			if (waiter.reading === undefined || waiter.reading.remaining() > 0) return waiter;
			waiter.stop(new ApiError('gateway_timeout'));
		}
	}

	/** An account that has nothing here begins anew, at the present virtual time. */
	#forget(account: string, { waiting, dear, forPermit, served }: Line): void {
		const isIdle = waiting.length === 0 && dear === 0 && forPermit.length === 0;
		if (isIdle && served <= this.#virtual) this.#lines.delete(account);
	}
}

const work = new LongWork();

/**
 * Notes a request that is under way, for as long as it is short: one that needs a second slice is not any more.
 * @param reading undefined for one that writes
 * @returns to be called at its end
 */
export function beginUnderWay(reading: Reading | undefined): () => void {
	work.shortBegins();
	let isShort = true;
	if (reading !== undefined) {
		reading.becomesLong = () => {
			if (isShort) work.shortBecomesLong();
			isShort = false;
		};
	}
	return () => {
		if (isShort) work.shortEnds();
		isShort = false;
	};
}

/** The same for a request that is a function. */
export async function underWay<T>(reading: Reading | undefined, request: () => Promise<T>): Promise<T> {
	const end = beginUnderWay(reading);
	try {
		return await request();
	} finally {
		end();
	}
}

/**
 * Work that is done elsewhere, such as in a database. Where it is dear, it takes one of its account's permits.
 * @param units that it may be
 * @throws service_unavailable where too many dear ones of the account are before it, gateway_timeout where nobody waits
 */
export async function elsewhere<T>(reading: Reading, units: number, ask: () => Promise<T>): Promise<T> {
	if (units <= DEAR) return ask();
	reading.becomesLong();
	await work.enter(reading);
	try {
		return await ask();
	} finally {
		work.leave(reading);
	}
}

/**
 * One piece of work that may be long, such as a scan: it asks here whether it may go on. Short work is never asked to
 * wait: its first slice is free. A read has one such slice, however many pieces it consists of: those of a long list
 * would else follow each other without a turn for anybody.
 */
export class Slices {
	readonly #reading = Reading.current();
	#begun = performance.now() - (this.#reading?.hadOfSlice ?? 0);
	#units = 0;
	#hasSlice = false;
	#hasPermit = false;
	#isOver = false;

	/** Whether the present slice is used up: then `next` is to be awaited before anything else is done */
	get isUsedUp(): boolean {
		return performance.now() - this.#begun >= SLICE;
	}

	/** @param units of work that were done: documents read, rows computed; may be a fraction */
	count(units: number): void {
		this.#units += units;
		this.#reading?.add(units);
	}

	/**
	 * Waits for the next slice.
	 * @throws gateway_timeout where nobody waits for the read any more, service_unavailable where too many dear ones of the
	 *   account are before it
	 */
	async next(): Promise<void> {
		const taken = performance.now() - this.#begun;
		const reading = this.#reading;
		reading?.assertWanted();
		reading?.becomesLong();
		if (reading !== undefined && !this.#hasPermit && this.#units > DEAR) {
			await work.enter(reading);
			this.#hasPermit = true;
		}
		await work.next(reading, taken);
		this.#hasSlice = true;
		this.#begun = performance.now();
		if (reading !== undefined) reading.hadOfSlice = 0;
	}

	/** To be called when the work is done or given up; may be called again. */
	end(): void {
		if (this.#isOver) return;
		this.#isOver = true;
		const had = performance.now() - this.#begun;
		if (this.#reading !== undefined) this.#reading.hadOfSlice = had;
		if (this.#hasSlice) work.spent(this.#reading, had);
		if (this.#hasPermit) work.leave(this.#reading!);
	}
}
