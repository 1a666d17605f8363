/** Bytes that clients together can make a process keep for them */
const MOST = 24 * 1024 * 1024;

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
 * longest, until it is less. So an account that takes nothing costs no other one an answer.
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
		const sizeOf = (own: Set<OwnHolding>) => own.values().reduce((sum, { bytes }) => sum + bytes, 0);
		const greatest = [...this.#holdings.values()].reduce((a, b) => (sizeOf(a) >= sizeOf(b) ? a : b));
		const oldest = greatest.values().find(({ bytes }) => bytes > 0)!;
		this.#dropped++;
		oldest.release();
		oldest.giveUp();
	}
}

interface OwnHolding extends Holding {
	bytes: number;
	giveUp(): void;
}
