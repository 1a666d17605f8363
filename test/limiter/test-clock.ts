import type { Clock } from '../../shared/engine/clock.ts';

/** A clock that moves when it is told to. */
export class TestClock implements Clock {
	#ms: number;

	constructor(ms = 1_800_000_000_000) {
		this.#ms = ms;
	}

	now = () => this.#ms;
	monotonic = () => this.#ms;

	pass(ms: number): void {
		this.#ms += ms;
	}
}
