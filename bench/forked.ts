import { type ChildProcess, fork } from 'node:child_process';

type ToWorker = { id: number; task: unknown };
type FromWorker = { ready: unknown } | { id: number; result: unknown } | { id: number; error: string };

/** JSON would lose what is undefined, not a number or not finite */
const ENCODING = { serialization: 'advanced' } as const;

/** A process of the benchmark's own: a server to compare with, or who sends the load. It ends when this one does. */
export class Forked<Ready, Task, Result> {
	readonly ready: Promise<Ready>;
	readonly #process: ChildProcess;
	readonly #waiting = new Map<number, { resolve(result: Result): void; reject(error: Error): void }>();
	#count = 0;

	/** @param file module that calls `serveTasks` */
	constructor(file: URL, env: Record<string, string> = {}) {
		this.#process = fork(file, { env: { PATH: process.env.PATH ?? '', ...env }, execArgv: [], ...ENCODING });
		this.ready = new Promise((resolve, reject) => {
			this.#process.once('exit', (code) => {
				const error = new Error(`${file.pathname} ended (${code})`);
				reject(error);
				for (const { reject } of this.#waiting.values()) reject(error);
			});
			this.#process.on('message', (message: FromWorker) => {
				if ('ready' in message) resolve(message.ready as Ready);
				else this.#settle(message);
			});
		});
		this.ready.catch(() => {}); // told to whoever waits for it
	}

	get pid(): number {
		return this.#process.pid ?? 0;
	}

	async ask(task: Task): Promise<Result> {
		await this.ready;
		return new Promise((resolve, reject) => {
			const id = this.#count++;
			this.#waiting.set(id, { resolve, reject });
			this.#process.send({ id, task } satisfies ToWorker);
		});
	}

	async stop(): Promise<void> {
		if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
		const exited = new Promise((resolve) => this.#process.once('exit', resolve));
		this.#process.disconnect();
		await exited;
	}

	#settle(message: Exclude<FromWorker, { ready: unknown }>): void {
		const waiting = this.#waiting.get(message.id);
		this.#waiting.delete(message.id);
		if ('error' in message) waiting?.reject(new Error(message.error));
		else waiting?.resolve(message.result as Result);
	}
}

/**
 * The other side of `Forked`: says that this process is ready, does one task after the other, and ends with its parent.
 * @param ready what the parent needs to know, such as an address
 */
export function serveTasks<Task>(ready: unknown, perform: (task: Task) => unknown): void {
	process.on('message', async ({ id, task }: ToWorker) => {
		try {
			process.send?.({ id, result: await perform(task as Task) });
		} catch (error) {
			process.send?.({ id, error: (error as Error).stack ?? String(error) });
		}
	});
	process.once('disconnect', () => process.exit(0));
	process.send?.({ ready });
}
