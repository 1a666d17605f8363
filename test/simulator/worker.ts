import type { Report, Wanted } from './report.ts';
import { replaceGlobals } from './world/own-globals.ts';

replaceGlobals(); // before anything of the product is loaded

/** What a process that runs worlds is told: first what to run, then seeds, each when the one before it is reported. */
export type Order = { bundle: string; wanted: Wanted } | { seed: number };

const { Bundle } = await import('./world/bundle.ts');
const { reportOf } = await import('./report.ts');
const tell = process.send!.bind(process) as (report: Report) => void;

let runs: ((seed: number) => Promise<Report>) | undefined;

process.on('message', async (order: Order) => {
	if ('seed' in order) return tell(await runs!(order.seed));
	const bundle = new Bundle(order.bundle);
	const prepared = bundle.prepare();
	runs = async (seed) => {
		await prepared;
		return reportOf(seed, bundle, order.wanted);
	};
});
