import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Cluster, whyNoProof } from '../proof/cluster.ts';
import { recordDirectory } from '../proof/directory.ts';
import { disturb, killOne } from '../proof/faults.ts';
import { anySeed } from '../proof/random.ts';
import { keptHistory, Recorder } from '../proof/recorder.ts';
import { summarise } from '../proof/summary.ts';
import { Workload } from '../proof/workload/workload.ts';
import { bound } from '../support/bound.ts';

/** ms of each fault; `cut for 30 s` takes this long where it is longer, nightly 30,000 */
const FAULT_FOR = Number(process.env.FAULT_FOR ?? 1_500);
const CUT_FOR = Number(process.env.CUT_FOR ?? 5_000);
/** ms between two faults */
const REST = 1_000;
/** ms that a request may take (promise T3), with what a test machine may be late by */
const DURATION = bound(11_000, 25_000);
const seed = Number(process.env.PROOF_SEED ?? anySeed());
const SERVERS = ['redis', 'nats', 'database'] as const;
const missing = whyNoProof();
const suite = missing === undefined ? describe : describe.skip;

suite(`T3: under load${missing ? ` (skipped: ${missing})` : ''}`, () => {
	let cluster: Cluster;

	beforeAll(async () => {
		cluster = await Cluster.start({ accounts: 6, counts: { gateway: 2, booking: 2 } });
	});
	afterAll(async () => cluster?.stop());

	test.each(SERVERS)(
		`T3: When the connection to %s is slow, hangs, is reset, is cut, or the server dies, then no request is answered 500 or hangs, and nothing is lost (seed ${seed})`,
		async (server) => {
			const recorder = new Recorder(keptHistory(`connections-${server}`));
			const workload = new Workload({
				accounts: cluster.accounts().splice(2 * SERVERS.indexOf(server), 2),
				recorder,
				seed,
				clients: 6,
				pace: 120,
			});
			await cluster.ready();
			await workload.prepare();
			workload.start();
			const proxy = cluster.proxies[server];
			for (const fault of [{ kind: 'delay', ms: 500 }, { kind: 'hang' }, { kind: 'reset' }, { kind: 'cut' }] as const) {
				await delay(REST);
				await disturb(server, proxy, fault, recorder, fault.kind === 'cut' ? CUT_FOR : FAULT_FOR);
			}
			await delay(REST);
			const victim = cluster.victims().find(({ name }) => name === server);
			if (victim) await killOne(cluster, victim, recorder);
			await delay(REST);
			await workload.stop();
			await cluster.ready();
			await workload.settle();
			await recordDirectory(cluster.product, recorder);
			const { violations, ...counts } = summarise(recorder.lines, { duration: DURATION });
			expect(violations).toEqual([]);
			expect(counts.acknowledged).toBeGreaterThan(0);
		},
		600_000 + 4 * (FAULT_FOR + CUT_FOR),
	);
});
