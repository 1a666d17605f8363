import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from '../../support/http-client.ts';
import { everyDearest } from './dearest.ts';
import type { DearWorld } from './world.ts';

/** ms for which a loop waits that may send no more: of four, each tries ten times a second, of which a plan allows five */
const PAUSE = 100;

/** Of a request whose connection was closed, as of answers that fill the memory of the process: 50,000 slots have 15 MB */
const CUT = 0;

/** How many requests were answered how */
export type Answers = Record<number, number>;

interface Order {
	name: string;
	loops: number;
}

/**
 * An attacker is a process of its own, and has what the others leave of the processor: what its answers cost it is not the
 * bystander's.
 */
export class Attack {
	readonly #child: ChildProcess;

	/** @param urls of the gateways */
	constructor(urls: string[], key: string, world: DearWorld) {
		const settings = JSON.stringify({ urls, key, world });
		this.#child = fork(fileURLToPath(import.meta.url), [settings], {
			execArgv: ['--disable-warning=ExperimentalWarning'],
		});
		setPriority(this.#child.pid!, constants.priority.PRIORITY_LOW);
	}

	/** Sends requests of this name, in so many loops, from before `work` until it has ended, and waits for their answers. */
	async beside<T>(name: string, loops: number, work: () => Promise<T>): Promise<[result: T, answers: Answers]> {
		this.#child.send({ name, loops });
		await once(this.#child, 'message');
		const result = await work();
		this.#child.send('stop');
		const [answers] = (await once(this.#child, 'message')) as [Answers];
		return [result, answers];
	}

	end(): void {
		this.#child.kill('SIGKILL');
	}
}

if (process.send !== undefined && process.argv[1] === fileURLToPath(import.meta.url)) {
	const { urls, key, world } = JSON.parse(process.argv[2]!) as { urls: string[]; key: string; world: DearWorld };
	const client = new Client(urls, key);
	let at = 0;
	let running: Promise<unknown> = Promise.resolve();
	let isOver = false;
	let answers: Answers = {};
	process.on('message', async (order: Order | 'stop') => {
		if (order === 'stop') {
			isOver = true;
			await running;
			process.send!(answers);
			return;
		}
		isOver = false;
		answers = {};
		const ask = async () => {
			const asked = everyDearest[order.name]!(client, world, at++);
			const status = await asked.then(
				(answer) => answer.status,
				() => CUT,
			);
			answers[status] = (answers[status] ?? 0) + 1;
			if (status === 429) await delay(PAUSE);
		};
		const loop = async () => {
			do await ask();
			while (!isOver);
		};
		running = Promise.all(Array.from({ length: order.loops }, loop));
		process.send!('begun');
	});
}
