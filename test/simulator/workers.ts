import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { Report, Wanted } from './report.ts';
import type { Order } from './worker.ts';

export interface Work {
	/** The bundle's file */
	bundle: string;
	wanted: Wanted;
	/** Processes that run worlds at the same time */
	processes: number;
	/** The first seed; the others follow */
	first: number;
	/** Asked before a world is begun, with those that are reported */
	goesOn(seed: number, reports: readonly Report[]): boolean;
}

/**
 * Runs worlds in processes of their own, as many at a time as there are, and yields what came of them in the order of the
 * seeds: which process ran a world changes nothing in it.
 */
export async function* runWorlds({ bundle, wanted, processes, first, goesOn }: Work): AsyncGenerator<Report> {
	const reports: Report[] = [];
	const underWay: Promise<Report>[] = [];
	const idle = Array.from({ length: processes }, () => begin({ bundle, wanted }));
	const all = [...idle];
	let seed = first;
	const beginNext = () => {
		for (let worker = idle.pop(); worker !== undefined; worker = idle.pop()) {
			if (!goesOn(seed, reports)) return idle.push(worker);
			const report = run(worker, seed++);
			report.catch(() => {}); // of one that nobody waits for any more
			underWay.push(report);
		}
	};
	const run = async (worker: ChildProcess, own: number) => {
		const report = await reportOf(worker, own);
		reports.push(report);
		idle.push(worker);
		beginNext();
		return report;
	};
	try {
		beginNext();
		for (let index = 0; index < underWay.length; index++) yield await underWay[index]!;
	} finally {
		for (const worker of all) idle.includes(worker) ? worker.disconnect() : worker.kill();
	}
}

function begin(order: Order): ChildProcess {
	const worker = fork(join(import.meta.dirname, 'worker.ts'), { execArgv: process.execArgv });
	worker.send(order);
	return worker;
}

function reportOf(worker: ChildProcess, seed: number): Promise<Report> {
	return new Promise((resolve, reject) => {
		const ended = (code: number | null) => reject(new Error(`the process that ran seed ${seed} ended with ${code}`));
		worker.once('exit', ended);
		worker.once('message', (report: Report) => {
			worker.off('exit', ended);
			resolve(report);
		});
		worker.send({ seed } satisfies Order);
	});
}
