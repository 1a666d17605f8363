import { Forked } from '../forked.ts';
import type { ClosedLoad } from './closed-loop.ts';
import type { Figures } from './figures.ts';
import type { LoadTask } from './generator.ts';
import type { OpenFigures, OpenLoad } from './open-loop.ts';

/** Sends load from a process of its own, one load at a time. */
export class LoadGenerator {
	readonly #process = new Forked<undefined, LoadTask, Figures | OpenFigures>(new URL('generator.ts', import.meta.url));

	closed(load: ClosedLoad): Promise<Figures> {
		return this.#process.ask({ model: 'closed', ...load });
	}

	open(load: OpenLoad): Promise<OpenFigures> {
		return this.#process.ask({ model: 'open', ...load }) as Promise<OpenFigures>;
	}

	stop(): Promise<void> {
		return this.#process.stop();
	}
}
