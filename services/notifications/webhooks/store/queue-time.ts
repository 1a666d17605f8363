import type { Model } from 'mongoose';
import type { Clock } from '../../../../shared/engine/clock.ts';
import type { CounterRow } from '../../../../shared/store/counter.ts';
import { insertNew } from '../../../../shared/store/insert-new.ts';

/** Of the row in which it is kept */
const ROW = 'queue_time';
/** ms after which nobody else keeps the time, where it was not moved on: each process does once a second */
const LEFT = 2_900;
/** ms by which what is stored lags behind, at most, where somebody keeps it */
const LAG = 2_000;
/** ms by which two processes differ, at most: a second, and as much again for a machine that is busy */
export const APART = 2_000;

/**
 * The time by which queues are kept: when a retry is due, when somebody should look. All processes share it, whatever
 * their wall clocks say, and it never jumps: each process reckons by its own monotonic clock, and stores how far it is.
 *
 * A process that starts takes over what is stored once it sees another process move it on. If none does, all were
 * stopped, and the wall clock tells what passed. So this is close to the time of day, but nothing may depend on that.
 */
export class QueueTime {
	readonly #rows: Model<CounterRow>;
	readonly #clock: Clock;
	/** ms from this process' monotonic clock to the queues' time */
	#offset: number;
	/** What was stored when this process came, until it is known whether another one is there */
	#found: { value: number; at: number } | undefined;

	constructor(rows: Model<CounterRow>, clock: Clock) {
		this.#rows = rows;
		this.#clock = clock;
		this.#offset = clock.now() - clock.monotonic();
	}

	/** ms; that of two processes differs by `APART` at most */
	now(): number {
		return Math.floor(this.#clock.monotonic() + this.#offset);
	}

	/** What a wall clock shows at a moment of the queues' time; ms, as everything here. */
	toWall(moment: number): number {
		return moment + this.#clock.now() - this.now();
	}

	/** The moment of the queues' time at which a wall clock shows `shown`. */
	fromWall(shown: number): number {
		return shown + this.now() - this.#clock.now();
	}

	/** To be called before any traffic. */
	async open(): Promise<void> {
		const value = await this.#stored();
		const ahead = this.#clock.now() - value;
		this.#found = { value, at: this.#clock.monotonic() };
		if (ahead < 0 || ahead > LAG) this.#offset = value - this.#clock.monotonic();
	}

	/**
	 * Stores how far it is, or goes on from where others are; to be called once a second.
	 * @param alone whether no other process can be there
	 */
	async keep(alone = false): Promise<void> {
		if (this.#found !== undefined) return this.#settle(this.#found, alone);
		const value = this.now();
		const { matchedCount } = await this.#rows.updateOne({ _id: ROW, value: { $lt: value } }, { $set: { value } });
		if (matchedCount === 0) this.#reach(await this.#stored());
	}

	async #settle({ value, at }: { value: number; at: number }, alone: boolean): Promise<void> {
		const stored = await this.#stored();
		if (stored === value) {
			if (!alone && this.#clock.monotonic() - at < LEFT) return;
			const now = Math.max(this.now(), this.#clock.now());
			const { matchedCount } = await this.#rows.updateOne({ _id: ROW, value }, { $set: { value: now } });
			if (matchedCount === 0) return; // another one has come, and is seen the next time
			this.#reach(now);
		}
		this.#reach(stored);
		this.#found = undefined;
	}

	#reach(moment: number): void {
		this.#offset += Math.max(0, moment - this.now());
	}

	async #stored(): Promise<number> {
		for (;;) {
			const row = await this.#rows.findOne({ _id: ROW }).lean<CounterRow>();
			if (row) return row.value;
			await insertNew(this.#rows, [{ _id: ROW, value: this.#clock.now() }]);
		}
	}
}
