import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { recordDirectory } from '../proof/directory.ts';
import { anySeed, Random } from '../proof/random.ts';
import { keptHistory, Recorder } from '../proof/recorder.ts';
import { summarise } from '../proof/summary.ts';
import { Workload } from '../proof/workload/workload.ts';
import { Client } from '../support/http-client.ts';
import { type Product, startProduct } from '../support/product.ts';

/** Kills; nightly 200 */
const KILLS = Number(process.env.EMBEDDED_KILLS ?? 12);
const seed = Number(process.env.PROOF_SEED ?? anySeed());

let product: Product;

beforeAll(async () => {
	product = await startProduct({ form: 'embedded', keys: { Unlimited: 2 } });
});
afterAll(() => product.stop());

test(
	`T1: When the embedded process is killed ${KILLS} times under writes, then nothing acknowledged is lost (seed ${seed})`,
	async () => {
		const random = new Random(seed);
		const recorder = new Recorder(keptHistory('embedded-kill'));
		const [slotwise] = product.processes;
		const accounts = product.keys.Unlimited.map((key, index) => ({
			name: `account ${index + 1}`,
			http: new Client(() => product.urls(), key),
		}));
		const workload = new Workload({ accounts, recorder, seed, clients: 6, pace: 25 });
		await workload.prepare();
		workload.start();
		for (let kill = 1; kill <= KILLS; kill++) {
			await delay(300 + 1_200 * random.next());
			recorder.fault('SIGKILL slotwise');
			slotwise!.kill('SIGKILL');
			await slotwise!.restart();
			await slotwise!.ready();
		}
		await workload.stop();
		await workload.settle();
		await recordDirectory(product, recorder);
		const { violations, ...counts } = summarise(recorder.lines);
		expect(violations).toEqual([]);
		expect(counts.faults).toEqual({ 'SIGKILL slotwise': KILLS });
		expect(counts.acknowledged).toBeGreaterThan(KILLS);
	},
	600_000 + KILLS * 15_000,
);
