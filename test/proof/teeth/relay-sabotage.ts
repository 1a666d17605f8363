import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '../../support/http-client.ts';
import { startProduct } from '../../support/product.ts';
import { recordDirectory } from '../directory.ts';
import { Recorder } from '../recorder.ts';
import { summarise } from '../summary.ts';
import { Workload } from '../workload/workload.ts';

/** Loads that a broken product is given: one of 3 s on a busy machine may not meet what is broken, or not all of it. */
const SEEDS = [1, 2, 3, 4, 5];

/**
 * The embedded product under a short load; where it is broken, again until the rule that must tell of it does.
 * @param file of `test/faults/sabotage/`, loaded before the product's own code; none: the product as it is
 * @returns the rules that its histories break
 */
export async function brokenWith(file: string | undefined, mustTell: string): Promise<string[]> {
	const broken = new Set<string>();
	for (const seed of file === undefined ? SEEDS.slice(0, 1) : SEEDS) {
		for (const rule of await brokenUnder(seed, file)) broken.add(rule);
		if (broken.has(mustTell)) break;
	}
	return [...broken];
}

async function brokenUnder(seed: number, file: string | undefined): Promise<string[]> {
	const preload = `--import ${resolve(import.meta.dirname, '../../faults/sabotage', file ?? '')}`;
	const env: Record<string, string> = file === undefined ? {} : { NODE_OPTIONS: preload };
	const product = await startProduct({ form: 'embedded', keys: { Unlimited: 2 }, env });
	try {
		const recorder = new Recorder();
		const accounts = product.keys.Unlimited.map((key, index) => ({
			name: `account ${index + 1}`,
			http: new Client(() => product.urls(), key),
		}));
		const workload = new Workload({ accounts, recorder, seed, clients: 6, pace: 20 });
		await workload.prepare();
		workload.start();
		await delay(3_000);
		await workload.stop();
		await workload.settle(file === undefined ? undefined : 3_000);
		await recordDirectory(product, recorder);
		return [...new Set(summarise(recorder.lines).violations.map(({ rule }) => rule))];
	} finally {
		await product.stop();
	}
}
