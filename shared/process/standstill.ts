/** ms between two ticks */
const EVERY = 250;
/** ms without a tick from which on the process has stood still: stopped, starved, or blocked by its own work */
const NOTICED = 1_000;
/** ms after a standstill in which what is read counts as old at least; another process' heartbeat comes in less */
const SETTLING = 1_500;
/** Turns of the event loop without a new connection after which it is read for sure: a connection is accepted in one, and read in the next */
const TURNS = 4;
/** Connections that may have waited: each is accepted in a turn of its own. Those beyond came later. Node's own `backlog` */
const BACKLOG = 511;

interface Stop {
	/** Monotonic ms, as all here */
	began: number;
	ended: number;
	/** Turns since its end, and since the last of the connections that waited */
	turns: number;
	/** Accepted since its end, as far as they waited */
	connections: number;
}

/**
 * When this process stood still. What it reads right afterwards may have waited for it all the while, and carries no sign
 * of that: a request of a client says nothing of when it was sent. Until the sockets are empty all of it counts as old.
 *
 * Standstills add up where the process came to nothing in between: what lay there before the first is still to be read
 * after the last. A process that is short of time stops again and again, but reads its sockets in each turn; what it reads
 * counts as a few of these stops old, and not as old as its troubles.
 *
 * The monotonic clock stands still too while a whole machine is suspended, so that is not noticed here.
 */
export class Standstill {
	readonly #now: () => number;
	readonly #nextTurn: (run: () => void) => void;
	#timer: NodeJS.Timeout | undefined;
	#lastTick: number | undefined;
	/** The last one, behind those before it of which something may be unread */
	#stops: Stop[] = [];
	#counting = false;

	/**
	 * @param now monotonic ms
	 * @param nextTurn runs something after the sockets were looked at once more
	 */
	constructor(
		now: () => number = () => performance.now(),
		nextTurn: (run: () => void) => void = (run) => setImmediate(run),
	) {
		this.#now = now;
		this.#nextTurn = nextTurn;
	}

	/** Watches from now on, for as long as the process lives. */
	watch(): void {
		this.tick();
		this.#timer ??= setInterval(() => this.tick(), EVERY).unref();
	}

	tick(): void {
		const now = this.#now();
		if (this.#lastTick !== undefined && now - this.#lastTick >= NOTICED) {
			this.#stops = [...this.#stops.filter(isUnread), { began: this.#lastTick, ended: now, turns: 0, connections: 0 }];
			if (!this.#counting) this.#countTurns();
		}
		this.#lastTick = now;
	}

	/** To be called with each connection that is accepted. */
	connected(): void {
		for (const stop of this.#stops) {
			if (isUnread(stop) && stop.connections++ < BACKLOG) stop.turns = 0;
		}
	}

	/** When the last standstill began; −∞ where there was none. */
	get began(): number {
		return (this.#stops.find(isUnread) ?? this.#stops.at(-1))?.began ?? Number.NEGATIVE_INFINITY;
	}

	/** ms that what is read now may have waited for this process; 0 where it did not stand still. */
	age(): number {
		if (this.#lastTick === undefined) return 0;
		this.tick(); // the sockets are read before the timers run
		const last = this.#stops.at(-1);
		if (last === undefined) return 0;
		// A turn that reads a hundred sockets takes as long as it takes, on a busy machine seconds.
		return isUnread(last) || this.#lastTick - last.ended < SETTLING ? last.ended - this.began : 0;
	}

	#countTurns(): void {
		this.#counting = true;
		this.#nextTurn(() => {
			for (const stop of this.#stops) stop.turns++;
			if (this.#stops.some(isUnread)) this.#countTurns();
			else this.#counting = false;
		});
	}
}

function isUnread({ turns }: Stop): boolean {
	return turns < TURNS;
}

/** Of this process */
export const standstill = new Standstill();
