/** Whether its endpoint failed when it was tried last. */
export type Lane = 'well' | 'failing';

/**
 * The attempts that a process may make at once, over all webhooks. Who waits is served in order of arrival; a webhook waits
 * for one at a time, so they take turns. Those that failed last share one half, so that however many endpoints hang, the
 * other half serves those that answer.
 */
export class Slots {
	readonly #limits: Record<Lane, number>;
	readonly #taken: Record<Lane, number> = { well: 0, failing: 0 };
	readonly #waiting: Record<Lane, (() => void)[]> = { well: [], failing: [] };

	/** @param limit of all; 2 or more */
	constructor(limit: number) {
		this.#limits = { well: limit, failing: Math.floor(limit / 2) };
	}

	/** Whether one could be had at once, by a webhook that is well. */
	get isFree(): boolean {
		return this.#isFree('well');
	}

	/** @returns how to give it back; to be called once */
	async take(lane: Lane): Promise<() => void> {
		if (this.#isFree(lane) && this.#waiting[lane].length === 0) this.#taken[lane]++;
		else await new Promise<void>((resolve) => this.#waiting[lane].push(resolve));
		return () => {
			this.#taken[lane]--;
			this.#passOn();
		};
	}

	#isFree(lane: Lane): boolean {
		const all = this.#taken.well + this.#taken.failing;
		return all < this.#limits.well && (lane === 'well' || this.#taken.failing < this.#limits.failing);
	}

	#passOn(): void {
		for (const lane of ['well', 'failing'] as const) {
			while (this.#waiting[lane].length > 0 && this.#isFree(lane)) {
				this.#taken[lane]++;
				this.#waiting[lane].shift()!();
			}
		}
	}
}
