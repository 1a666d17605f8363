import { type Due, Heap } from './heap.ts';

interface Entry extends Due {
	run(): void;
}

/** Virtual time: what happens when. Nothing else moves it on. */
export class Agenda {
	/** ms since the world began */
	now = 0;
	/** Entries that were run */
	steps = 0;
	readonly #heap = new Heap<Entry>();
	#order = 0;

	at(at: number, run: () => void): void {
		this.#heap.push({ at: Math.max(at, this.now), order: this.#order++, run });
	}

	/** Runs the next entry. @returns false where there is none before `end` */
	step(end: number): boolean {
		const { first } = this.#heap;
		if (first === undefined || first.at > end) {
			this.now = Math.max(this.now, end);
			return false;
		}
		this.#heap.pop();
		this.now = first.at;
		this.steps++;
		first.run();
		return true;
	}
}
