/** Bytes that clients together can make a process keep for them */
const MOST = 24 * 1024 * 1024;
/** ms for which a client is not slow, whatever is kept for it: it has just been given something */
const FRESH = 1_000;

/** Something that is kept until a client has done its part. */
export interface Holding {
	/** @param bytes that came on top */
	grow(bytes: number): void;
	/** To be called when it is no longer kept; a second time does nothing. */
	release(): void;
}

/**
 * What a process keeps for clients that are slow: answers that they have not taken, bodies that they have not sent
 * whole. When it comes to more than MOST, the account that has most of it loses what it has had for
 * longest, until it is less; who was just given it comes last. So an account that takes nothing
 * costs no other one an answer.
 */
export class HeldMemory {
	#bytes = 0;
	#dropped = 0;
	/** By owner, the oldest first */
	readonly #holdings = new Map<string, Set<OwnHolding>>();

	/** How often something was given up since the start */
	get dropped(): number {
		return this.#dropped;
	}

	get bytes(): number {
		return this.#bytes;
	}

	/**
	 * @param owner account, or '' where none is known
	 * @param giveUp is called where too much is kept: ends what this is kept for
	 */
	hold(owner: string, giveUp: () => void): Holding {
		const holding: OwnHolding = {
			bytes: 0,
			giveUp,
			begunAt: performance.now(),
			grow: (bytes) => {
				if (!this.#holdings.get(owner)?.has(holding)) return;
				holding.bytes += bytes;
				this.#bytes += bytes;
				while (this.#bytes > MOST) this.#drop();
			},
			release: () => {
				const own = this.#holdings.get(owner);
				if (!own?.delete(holding)) return;
				this.#bytes -= holding.bytes;
				if (own.size === 0) this.#holdings.delete(owner);
			},
		};
		const own = this.#holdings.get(owner);
		if (own === undefined) this.#holdings.set(owner, new Set([holding]));
		else own.add(holding);
		return holding;
	}

	#drop(): void {
		const now = performance.now();
		const isSlow = ({ bytes, begunAt }: OwnHolding) => bytes > 0 && now - begunAt > FRESH;
		const slow = this.#oldestOfGreatest(isSlow) ?? this.#oldestOfGreatest(({ bytes }) => bytes > 0);
		this.#dropped++;
		slow!.release();
		slow!.giveUp();
	}

	/** Of the holdings that may go, the oldest of the account that has most in them */
	#oldestOfGreatest(mayGo: (holding: OwnHolding) => boolean): OwnHolding | undefined {
		let [oldest, most]: [OwnHolding | undefined, number] = [undefined, 0];
		for (const own of this.#holdings.values()) {
			const going = [...own].filter(mayGo);
			const bytes = going.reduce((sum, each) => sum + each.bytes, 0);
			if (bytes > most) [oldest, most] = [going[0], bytes];
		}
		return oldest;
	}
}

interface OwnHolding extends Holding {
	bytes: number;
	/** `performance.now()` */
	begunAt: number;
	giveUp(): void;
}
