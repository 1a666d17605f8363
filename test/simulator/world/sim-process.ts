import { AsyncResource } from 'node:async_hooks';
import type { Agenda } from './agenda.ts';
import { type Due, Heap } from './heap.ts';
import type { Random } from './random.ts';

/** As the product sees it: what `setTimeout` and the others return. */
export class Timer {
	/** Its place in the order of what is due; undefined when it has run or was ended */
	entry: Entry | undefined;
	readonly id: number;
	/** ms */
	readonly delay: number;
	readonly repeats: boolean;
	readonly run: () => void;
	readonly #owner: SimProcess;

	constructor(owner: SimProcess, id: number, run: () => void, delay: number, repeats: boolean) {
		this.#owner = owner;
		this.id = id;
		this.run = run;
		this.delay = delay;
		this.repeats = repeats;
	}

	ref(): this {
		return this;
	}

	unref(): this {
		return this;
	}

	hasRef(): boolean {
		return true;
	}

	refresh(): this {
		this.#owner.start(this);
		return this;
	}

	close(): this {
		this.entry = undefined;
		return this;
	}

	[Symbol.dispose](): void {
		this.close();
	}

	[Symbol.toPrimitive](): number {
		return this.id;
	}
}

interface Entry extends Due {
	timer: Timer;
}

/** Node's: runs what `nextTick` and promises have put off, until there is no more. */
const drain = (process as unknown as { _tickCallback(): void })._tickCallback;

/** Runs it as if it followed what runs now. (`AsyncLocalStorage.snapshot` does the same, and costs three times as much.) */
function inContext(run: () => void): () => void {
	const resource = new AsyncResource('simulated');
	return () => resource.runInAsyncScope(run);
}

let running: SimProcess | undefined;

/** The process whose task runs now. */
export function current(): SimProcess | undefined {
	return running;
}

export interface ProcessOptions {
	name: string;
	pid: number;
	address: string;
	agenda: Agenda;
	random: Random;
	/** ms since the epoch that its wall clock shows when the world begins */
	epoch: number;
	/** ms of processor time that a task takes, at least and at most */
	taskTakes?: readonly [number, number];
	/** Told of what nobody caught */
	failed(process: SimProcess, error: unknown): void;
}

/** A process: an event loop, clocks, chance. It has the world's time to itself while it runs a turn of its loop. */
export class SimProcess {
	readonly name: string;
	readonly pid: number;
	readonly address: string;
	readonly random: Random;
	alive = true;
	/** What ends with the process: its sockets, its listeners */
	readonly onEnd: (() => void)[] = [];
	/** Ends it gracefully, once it runs the product */
	stop: (() => Promise<void>) | undefined;
	readonly #agenda: Agenda;
	readonly #failed: ProcessOptions['failed'];
	readonly #taskTakes: readonly [number, number];
	/** The world's time up to which this process has come; ahead of the world's while it runs, and while it is frozen */
	#reached: number;
	readonly #started: number;
	#epoch: number;
	#timers = new Heap<Entry>();
	#order = 0;
	#inbox: (() => void)[] = [];
	#immediates: Timer[] = [];
	#turnAt = Number.POSITIVE_INFINITY;

	constructor({ name, pid, address, agenda, random, epoch, taskTakes, failed }: ProcessOptions) {
		this.name = name;
		this.pid = pid;
		this.address = address;
		this.random = random;
		this.#agenda = agenda;
		this.#failed = failed;
		this.#epoch = epoch;
		this.#taskTakes = taskTakes ?? [0.01, 0.06];
		this.#reached = agenda.now;
		this.#started = agenda.now;
	}

	/** The world's time as far as this process has come */
	get time(): number {
		return Math.max(this.#reached, this.#agenda.now);
	}

	/** ms of its monotonic clock. Each look at it takes a µs, so that who waits for it to go on does not wait for ever. */
	monotonic(): number {
		if (running === this) this.#reached += 0.001;
		return this.time - this.#started + 1_000;
	}

	/** ms since the epoch, by its own clock */
	wall(): number {
		return Math.floor(this.#epoch + this.time);
	}

	/** Its wall clock jumps; the monotonic one does not. */
	jump(ms: number): void {
		this.#epoch += ms;
	}

	setTimer(run: () => void, ms: number, repeats = false): Timer {
		const delay = ms >= 1 && ms < 2 ** 31 ? ms : 1;
		const timer = new Timer(this, this.#order++, inContext(run), delay, repeats);
		this.start(timer);
		return timer;
	}

	/** From now on, also where it was started before. */
	start(timer: Timer): void {
		if (!this.alive) return;
		timer.entry = { at: this.time + timer.delay, order: this.#order++, timer };
		this.#timers.push(timer.entry);
		this.#wake(timer.entry.at);
	}

	setImmediate(run: () => void): Timer {
		const immediate = new Timer(this, this.#order++, inContext(run), 0, false);
		immediate.entry = { at: this.time, order: 0, timer: immediate };
		this.#immediates.push(immediate);
		this.#wake(this.time);
		return immediate;
	}

	/** Hands the process something that its sockets brought; it looks at it in its next turn. */
	deliver(run: () => void): void {
		if (!this.alive) return;
		this.#inbox.push(run);
		this.#wake(this.#agenda.now);
	}

	/** Runs nothing for so many ms from now on, as if it was stopped, and then all that has come meanwhile. */
	freeze(ms: number): void {
		this.#reached = Math.max(this.#reached, this.#agenda.now + ms);
	}

	end(): void {
		if (!this.alive) return;
		this.alive = false;
		this.#timers = new Heap();
		this.#inbox = [];
		this.#immediates = [];
		for (const run of this.onEnd.splice(0)) run();
	}

	#wake(at: number): void {
		const due = Math.max(at, this.#reached);
		if (running === this || due >= this.#turnAt) return;
		this.#turnAt = due;
		this.#agenda.at(due, () => {
			if (this.#turnAt === due) this.#turn();
		});
	}

	#turn(): void {
		this.#turnAt = Number.POSITIVE_INFINITY;
		if (!this.alive) return;
		if (this.#reached > this.#agenda.now) {
			this.#wake(this.#reached); // it has stood still meanwhile
			return;
		}
		this.#reached = this.#agenda.now;
		running = this;
		for (let entry = this.#timers.first; entry && entry.at <= this.#reached; entry = this.#timers.first) {
			this.#timers.pop();
			const { timer } = entry;
			if (timer.entry !== entry) continue;
			if (!timer.repeats) timer.entry = undefined;
			this.#run(timer.run);
			if (!this.alive) break;
			if (timer.repeats && timer.entry === entry) this.start(timer);
		}
		for (const run of this.#inbox.splice(0)) if (this.alive) this.#run(run);
		for (const { run, entry } of this.#immediates.splice(0)) if (entry && this.alive) this.#run(run);
		running = undefined;
		if (!this.alive) return;
		if (this.#inbox.length + this.#immediates.length > 0) this.#wake(this.#reached);
		else if (this.#timers.first) this.#wake(this.#timers.first.at);
	}

	/** A task, and all that follows from it without waiting for anything. */
	#run(task: () => void): void {
		try {
			task();
		} catch (error) {
			this.#failed(this, error);
		}
		for (let isDrained = false; !isDrained; ) {
			try {
				drain.call(process);
				isDrained = true;
			} catch (error) {
				this.#failed(this, error);
			}
		}
		this.#reached += this.random.between(...this.#taskTakes);
	}
}
