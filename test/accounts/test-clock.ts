import type { Clock } from '../../shared/engine/clock.ts';

/** A clock that stands still until a test moves it. */
export class TestClock implements Clock {
	#ms: number;

	constructor(iso: string) {
		this.#ms = Date.parse(iso);
	}

	now(): number {
		return this.#ms;
	}

	monotonic(): number {
		return this.#ms;
	}

	advance(ms: number): void {
		this.#ms += ms;
	}

	set(iso: string): void {
		this.#ms = Date.parse(iso);
	}
}
