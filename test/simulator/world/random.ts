/** A stream of chance: the same seed gives the same stream (xoshiro128**, seeded by FNV-1a of the text). */
export class Random {
	readonly #seed: string;
	readonly #state = new Uint32Array(4);

	constructor(seed: string) {
		this.#seed = seed;
		let hash = 0x811c9dc5;
		for (let index = 0; index < 4; index++) {
			for (const character of `${seed}/${index}`) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
			this.#state[index] = hash | 1;
		}
		for (let round = 0; round < 16; round++) this.bits();
	}

	/** A stream of its own: what is drawn from one changes nothing in the other. */
	fork(name: string): Random {
		return new Random(`${this.#seed}/${name}`);
	}

	/** 32 bits */
	bits(): number {
		const s = this.#state;
		const product = Math.imul(s[1]!, 5);
		const result = Math.imul((product << 7) | (product >>> 25), 9) >>> 0;
		const t = s[1]! << 9;
		s[2]! ^= s[0]!;
		s[3]! ^= s[1]!;
		s[1]! ^= s[2]!;
		s[0]! ^= s[3]!;
		s[2]! ^= t;
		s[3] = (s[3]! << 11) | (s[3]! >>> 21);
		return result;
	}

	/** From 0 to 1, 1 excluded */
	next(): number {
		return (this.bits() * 0x200000 + (this.bits() >>> 11)) / 2 ** 53;
	}

	between(least: number, most: number): number {
		return least + this.next() * (most - least);
	}

	/** Integer from 0 to `limit` - 1 */
	integer(limit: number): number {
		return Math.floor(this.next() * limit);
	}

	chance(probability: number): boolean {
		return this.next() < probability;
	}

	pick<T>(list: readonly T[]): T {
		return list[this.integer(list.length)]!;
	}

	/** Most are short, a few are long: what waits in networks and servers looks like this. Mean in the unit given. */
	exponential(mean: number): number {
		return -Math.log(1 - this.next()) * mean;
	}

	fill(bytes: Uint8Array): void {
		for (let index = 0; index < bytes.length; index++) bytes[index] = this.bits() >>> 24;
	}
}
