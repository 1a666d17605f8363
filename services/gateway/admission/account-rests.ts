/** Units of work from which on what a request writes is dear: of 60 documents, some milliseconds of processor time */
const DEAR = 300;
/** Share of all work of late that is too much for one account where the event loop is busy */
const TOO_MUCH = 2 / 3;
/** Units that are little whatever share they are: those of five cheap requests */
const LITTLE = 150;
/** ms in which what was done of late fades to a half */
const FADE = 100;
/** ms for which an account counts as there behind its last request */
const LINGER = 1_000;
/** ms for which an account rests at most */
const MOST = 500;
/** Share of the latest request in what an account's requests are likely to write */
const LATEST = 0.25;

export const RESTS = { DEAR, LINGER } as const;

/** What a request turned out to be. */
export interface Cost {
	/** Units of work: documents read, rows computed, and what it wrote */
	units: number;
	/** Of these what it wrote */
	written: number;
	/** ms from its turn to its end */
	took: number;
}

/** What is known of an account that is there now, or was a second ago */
interface Habits {
	/** Units that one of its requests is likely to write */
	written: number;
	/** Units of work of late: the older ones fade */
	recent: number;
	/** Monotonic ms */
	restsUntil: number;
	seenAt: number;
}

/**
 * While others are there, an account that asks for much rests between its requests, each time for as long as the last one
 * took. Turns alone would not help the others: a request waits for all that is under way. A rest leaves half of the time
 * free.
 *
 * An account rests after a dear write, because a write does not pause between its steps as a long read does, and it has
 * one dear write at work at a time. While it alone keeps the event loop busy, it rests after every request.
 */
export class AccountRests {
	readonly #isBusy: () => boolean;
	readonly #now: () => number;
	/** In the order in which they were seen last */
	readonly #habits = new Map<string, Habits>();
	/** The last of them */
	#latest: string | undefined;
	/** Units of work of all accounts of late, and monotonic ms since which they have not faded */
	#recent = 0;
	#fadedAt = 0;

	/**
	 * @param isBusy whether the event loop is hardly idle
	 * @param now monotonic ms
	 */
	constructor(isBusy: () => boolean, now: () => number) {
		this.#isBusy = isBusy;
		this.#now = now;
	}

	/** Notes that an account is there. */
	see(account: string): void {
		this.#seen(account, this.#now());
	}

	/** @param working requests of the account at work */
	mustWait(account: string, working: number): boolean {
		const { written, restsUntil } = this.#of(account);
		const isDear = written > DEAR;
		if (!isDear && restsUntil === 0) return false;
		const now = this.#now();
		return this.#othersAreThere(now) && (now < restsUntil || (isDear && working > 0));
	}

	/** ms until the account has rested, ≤ 0 where it has */
	left(account: string): number {
		return (this.#habits.get(account)?.restsUntil ?? 0) - this.#now();
	}

	/** Notes what a request was, and whether its account is to rest. */
	ended(account: string, { units, written, took }: Cost): void {
		const now = this.#now();
		const habits = this.#seen(account, now);
		this.#fade(now);
		habits.recent += units;
		this.#recent += units;
		habits.written += LATEST * (written - habits.written);
		const hasRested = units > DEAR && written === 0; // a long read does, between its slices
		if (written <= DEAR && (hasRested || !this.#isTooMuch(habits, now))) return;
		habits.restsUntil = Math.max(habits.restsUntil, now + Math.min(took, MOST));
	}

	/** Whether it is this account that keeps the event loop busy. */
	#isTooMuch({ recent }: Habits, now: number): boolean {
		return recent > Math.max(LITTLE, TOO_MUCH * this.#recent) && this.#othersAreThere(now) && this.#isBusy();
	}

	#fade(now: number): void {
		const passed = now - this.#fadedAt;
		if (passed < FADE) return;
		this.#fadedAt = now;
		this.#recent = 0;
		this.#forget(now);
		for (const habits of this.#habits.values()) {
			habits.recent *= 0.5 ** (passed / FADE);
			this.#recent += habits.recent;
		}
	}

	#othersAreThere(now: number): boolean {
		this.#forget(now);
		return this.#habits.size > 1;
	}

	#forget(now: number): void {
		for (const [account, { seenAt }] of this.#habits) {
			if (now - seenAt < LINGER) return;
			this.#habits.delete(account);
		}
	}

	#seen(account: string, now: number): Habits {
		const habits = this.#of(account);
		habits.seenAt = now;
		if (this.#latest === account) return habits;
		this.#latest = account;
		this.#habits.delete(account);
		this.#habits.set(account, habits);
		return habits;
	}

	#of(account: string): Habits {
		let habits = this.#habits.get(account);
		if (habits === undefined) {
			habits = { written: 0, recent: 0, restsUntil: 0, seenAt: this.#now() };
			this.#habits.set(account, habits);
			this.#latest = account;
		}
		return habits;
	}
}
