import type { Random } from '../random.ts';

/** Work that runs in steps: between two `yield`s nothing else happens. */
export type Work<T = void> = Generator<void, T, void>;

interface Task {
	process: number;
	work: Work;
}

/** Runs work of several processes, one random step at a time; stops processes for a while, and kills them. */
export class Scheduler {
	readonly #random: Random;
	#tasks: Task[] = [];
	/** The process that stands still, and for how many steps of the others */
	#stopped = { process: Number.NaN, steps: 0 };

	constructor(random: Random) {
		this.#random = random;
	}

	get isIdle(): boolean {
		return this.#tasks.length === 0;
	}

	/** @param process whose death ends the work where it stands */
	spawn(process: number, work: Work): void {
		this.#tasks.push({ process, work });
	}

	/** One step of one of them. */
	step(): void {
		const task = this.#choose();
		if (task === undefined || !task.work.next().done) return;
		this.#tasks = this.#tasks.filter((other) => other !== task); // it may have spawned others
	}

	/** The process does nothing while the others make `steps` steps, or have nothing to do. */
	stop(process: number, steps: number): void {
		this.#stopped = { process, steps };
	}

	kill(process: number): void {
		this.#tasks = this.#tasks.filter((task) => task.process !== process);
	}

	#choose(): Task | undefined {
		const awake = this.#stopped.steps-- > 0 ? this.#tasks.filter((task) => task.process !== this.#stopped.process) : [];
		return this.#random.pick(awake.length > 0 ? awake : this.#tasks);
	}
}
