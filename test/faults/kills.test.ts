import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Cluster, type Victim, whyNoProof } from '../proof/cluster.ts';
import { recordDirectory } from '../proof/directory.ts';
import { killOne, stopOne } from '../proof/faults.ts';
import { anySeed, Random } from '../proof/random.ts';
import { keptHistory, Recorder } from '../proof/recorder.ts';
import { summarise } from '../proof/summary.ts';
import { Workload } from '../proof/workload/workload.ts';
import { bound } from '../support/bound.ts';

/** Kills of a random process, of each once; nightly 200 */
const KILLS = Number(process.env.CLUSTER_KILLS ?? 12);
/**
 * Longest time in ms from a start to /readyz. T2's 10 s are for a machine that does nothing else (ALONE=1); beside
 * other suites on two cores it only tells that a process comes back at all.
 */
const READY_WITHIN = bound(10_000, 100_000);
const seed = Number(process.env.PROOF_SEED ?? anySeed());
const missing = whyNoProof();
const suite = missing === undefined ? describe : describe.skip;

suite(`T2: under load${missing ? ` (skipped: ${missing})` : ''}`, () => {
	let cluster: Cluster;
	let recorder: Recorder;
	let workload: Workload;

	beforeAll(async () => {
		cluster = await Cluster.start();
		recorder = new Recorder(keptHistory('kills'));
		workload = new Workload({ accounts: cluster.accounts(), recorder, seed, clients: 6, pace: 120 });
		await workload.prepare();
		workload.start();
	});
	afterAll(async () => {
		await workload?.stop();
		await cluster?.stop();
	});

	test(
		`T2: When ${KILLS} times a random process is killed, and each stopped, then nothing is lost (seed ${seed})`,
		async () => {
			const random = new Random(seed);
			const late: string[] = [];
			for (let kill = 0, order: Victim[] = []; kill < KILLS; kill++) {
				if (order.length === 0) order = random.shuffled(cluster.victims()); // each has its turn
				await delay(200 + 800 * random.next());
				const { name, ready } = await killOne(cluster, order.pop()!, recorder);
				if (ready > READY_WITHIN) late.push(`${name}: ${ready.toFixed(0)} ms`);
			}
			for (const victim of cluster.victims()) await stopOne(victim, recorder, 300 + 1_500 * random.next());
			await delay(1_000);
			await workload.stop();
			await cluster.ready();
			await workload.settle();
			await recordDirectory(cluster.product, recorder);
			const { violations, ...counts } = summarise(recorder.lines, { duration: bound(20_000, 40_000) });
			expect(violations).toEqual([]);
			expect(late).toEqual([]);
			expect(counts.acknowledged).toBeGreaterThan(KILLS);
		},
		600_000 + KILLS * 20_000,
	);
});
