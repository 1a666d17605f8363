import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { opsWith } from '../ops/ops.ts';
import { Cluster, type Victim, whyNoProof } from '../proof/cluster.ts';
import { anySeed, Random } from '../proof/random.ts';
import { Client } from '../support/http-client.ts';
import { type Product, startProduct } from '../support/product.ts';
import { Replacements } from './replacements.ts';

/** Schedules that are sent in each form; 1,000 in a long run */
const TIMES = Number(process.env.SCHEDULE_REPLACEMENTS ?? 60);
/** At least so many kills */
const KILLS = Math.max(5, TIMES / 20);
const seed = Number(process.env.PROOF_SEED ?? anySeed());
const PATIENCE = 600_000 + TIMES * 2_000;

async function findingsOf({ operatorEnv, directory }: Product): Promise<unknown> {
	const { stdout } = await opsWith(operatorEnv, directory, ['audit', '--json']);
	return (JSON.parse(stdout) as { findings: unknown }).findings;
}

/** Kills one of these again and again until the schedule was replaced as often as it should be. */
async function underKills(client: Client, victims: () => Victim[]) {
	const random = new Random(seed);
	const replacements = new Replacements(client, seed);
	await replacements.prepare();
	let isDone = false;
	let kills = 0;
	const killing = (async () => {
		while (!isDone) {
			await delay(300 + 1_200 * random.next());
			const victim = random.pick(victims());
			await victim.kill();
			await victim.revive();
			kills++;
		}
	})();
	const replacing = replacements.run(() => kills >= KILLS && replacements.counts.sent >= TIMES);
	await replacing.finally(() => {
		isDone = true;
	});
	await killing;
	await replacements.settle();
	return { violations: replacements.violations, counts: { ...replacements.counts, kills } };
}

function expectWhole({ violations, counts }: Awaited<ReturnType<typeof underKills>>): void {
	if (process.env.SCHEDULE_REPLACEMENTS) process.stdout.write(`${JSON.stringify({ seed, ...counts })}\n`);
	expect(violations.slice(0, 10)).toEqual([]);
	expect(counts.replaced).toBeGreaterThan(TIMES / 3);
	expect(counts.bookings).toBeGreaterThan(TIMES / 10);
}

describe('S2, embedded', () => {
	let product: Product;

	beforeAll(async () => {
		product = await startProduct({ form: 'embedded', keys: { Unlimited: 1 } });
	});
	afterAll(() => product.stop());

	test(
		`S2: When a schedule is replaced ${TIMES} times while the process is killed, then it is all or nothing (seed ${seed})`,
		async () => {
			const [slotwise] = product.processes;
			const client = new Client(() => product.urls(), product.keys.Unlimited[0]!);
			const victim = {
				name: 'slotwise',
				async kill() {
					slotwise!.kill('SIGKILL');
					await slotwise!.exited;
				},
				async revive() {
					await slotwise!.restart();
					await slotwise!.ready();
				},
			};
			expectWhole(await underKills(client, () => [victim]));
			expect(await findingsOf(product)).toEqual([]);
		},
		PATIENCE,
	);
});

const missing = whyNoProof();
const suite = missing === undefined ? describe : describe.skip;

suite(`S2, cluster${missing ? ` (skipped: ${missing})` : ''}`, () => {
	let cluster: Cluster;

	beforeAll(async () => {
		cluster = await Cluster.start({ counts: { gateway: 2, catalog: 2, booking: 2 } });
	});
	afterAll(() => cluster?.stop());

	test(
		`S2: When a schedule is replaced ${TIMES} times while processes of catalog and booking are killed, then it is all or nothing (seed ${seed})`,
		async () => {
			const victims = () => cluster.victims().filter(({ name }) => /^(catalog|booking)-/.test(name));
			expectWhole(await underKills(cluster.accounts()[0]!.http, victims));
			expect(await findingsOf(cluster.product)).toEqual([]);
		},
		PATIENCE,
	);
});
