import { createRequire } from 'node:module';
import type { SmallLimits } from '../limits.ts';
import { Agenda } from './agenda.ts';
import type { Bundle } from './bundle.ts';
import { Network } from './network.ts';
import { begin, real } from './own-globals.ts';
import { Random } from './random.ts';
import { SimProcess } from './sim-process.ts';

const require = createRequire(import.meta.url);

/** Sunday, 2026-03-15, 10:00 UTC: where every world begins. Clocks jump by hours, and not into another month. */
export const EPOCH = real.Date.UTC(2026, 2, 15, 10);

/** Entries of the agenda between two looks at the real world */
const AT_ONCE = 5_000;

interface Product {
	start(environment: Record<string, string>, logger: unknown): Promise<{ stop(): Promise<void> }>;
	describeError(error: unknown): unknown;
}

/** What a process of the product is started with. */
export interface Setup {
	environment: Record<string, string>;
	limits: SmallLimits;
}

export interface Told {
	/** ms since the world began */
	at: number;
	who: string;
	what: string;
	detail?: unknown;
}

/** A world: virtual time, a network, processes. All of its chance comes from its seed. */
export class World {
	readonly agenda = new Agenda();
	readonly random: Random;
	readonly network: Network;
	/** What happened, in order: the story */
	readonly told: Told[] = [];
	/** What nobody caught */
	readonly crashes: Told[] = [];
	readonly #bundle: Bundle;
	readonly #processes: SimProcess[] = [];
	#pids = 100;

	constructor(seed: string, bundle: Bundle) {
		this.random = new Random(seed);
		this.#bundle = bundle;
		this.network = new Network(this.agenda, this.random.fork('network'));
		this.network.replaceNet();
	}

	tell(who: string, what: string, detail?: unknown): void {
		this.told.push({ at: this.agenda.now, who, what, ...(detail === undefined ? {} : { detail }) });
	}

	/** A process that runs nothing yet. */
	process(name: string, address: string, clockAhead = 0): SimProcess {
		const pid = ++this.#pids;
		const made = new SimProcess({
			name,
			pid,
			address,
			agenda: this.agenda,
			random: this.random.fork(`${name}/${pid}`),
			epoch: EPOCH + clockAhead,
			failed: (process, error) => {
				const { stack } = error as Error;
				this.crashes.push({ at: this.agenda.now, who: process.name, what: 'died of', detail: stack ?? String(error) });
				this.tell(process.name, 'died of', stack);
				process.end();
			},
		});
		this.#processes.push(made);
		return made;
	}

	/** Ends all that runs in it, so that its memory is free for the next one. */
	end(): void {
		for (const process of this.#processes) process.end();
	}

	/**
	 * Starts the shipped product in a process.
	 * @param failed told where it could not start: the process has ended then
	 */
	startProduct(process: SimProcess, { environment, limits }: Setup, failed: () => void): void {
		process.deliver(() => {
			const { start, describeError } = this.#bundle.load(limits) as Product;
			const logger = this.#loggerOf(process, describeError);
			start(environment, logger).then(
				({ stop }) => {
					this.tell(process.name, 'is up');
					process.stop = stop;
				},
				(error: Error) => {
					this.tell(process.name, 'could not start', error.stack);
					process.end();
					failed();
				},
			);
		});
	}

	#loggerOf(process: SimProcess, describeError: (error: unknown) => unknown): unknown {
		const { pino } = require('pino') as typeof import('pino');
		const write = (line: string) => {
			const { level, time: _time, msg, ...detail } = JSON.parse(line) as Record<string, unknown>;
			const text = detail.err === undefined ? detail : { ...detail, err: (detail.err as Error).stack ?? detail.err };
			this.tell(process.name, `logs ${Number(level) >= 50 ? 'an error' : ''}: ${msg}`, text);
		};
		const options = { level: 'warn', base: null, timestamp: () => ',"time":0', serializers: { err: describeError } };
		return pino(options, { write });
	}

	/** Runs until `end`, in ms since the world began. Returns earlier where `isDone` says so. */
	run(end: number, isDone: () => boolean = () => false): Promise<void> {
		begin();
		const onRejection = (error: unknown) => {
			this.tell('a process', 'left a rejection unhandled', (error as Error)?.stack ?? String(error));
		};
		process.on('unhandledRejection', onRejection);
		return new Promise<void>((resolve, reject) => {
			const round = () => {
				try {
					for (let index = 0; index < AT_ONCE; index++) {
						if (isDone() || !this.agenda.step(end)) return resolve();
					}
				} catch (error) {
					return reject(error);
				}
				real.setImmediate(round);
			};
			real.setImmediate(round);
		}).finally(() => process.off('unhandledRejection', onRejection));
	}
}
