import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { randomBase62, randomIndex } from '../../shared/engine/ids.ts';
import { openStore, type StoreOptions } from '../../shared/store/open-store.ts';
import { STORE_PATIENCE } from '../support/bound.ts';
import { Child } from '../support/child.ts';
import { until } from '../support/until.ts';
import { expectGapless, logOf } from './log.ts';

const script = join(import.meta.dirname, 'appending-process.ts');
const mongoUrl = process.env.TEST_MONGO_URL;

const children: Child[] = [];
afterEach(async () => {
	for (const child of children) child.kill('SIGKILL');
	await Promise.all(children.splice(0).map((child) => child.exited));
});

/** What was acknowledged, `<account> <event>`. */
class Acknowledged {
	readonly lines = new Set<string>();
	#bookings = 1;

	/** Starts a process, each with bookings of its own. */
	start(options: StoreOptions): Child {
		const first = String(this.#bookings);
		this.#bookings += 1_000_000;
		const child = new Child('appender', process.execPath, [script, JSON.stringify(options), first]);
		child.onLine((line) => /^[ab] evt_\d+_1$/.test(line) && this.lines.add(line));
		children.push(child);
		return child;
	}

	/** Until the child, or another one, has had some more acknowledged; how many differs each time. */
	async more(child: Child): Promise<void> {
		const enough = this.lines.size + 1 + randomIndex(60);
		await until(() => child.ended || this.lines.size >= enough, { interval: 1, what: child.tail() });
	}
}

/** W1, for what the children left behind. */
async function expectAllThere(options: StoreOptions, { lines }: Acknowledged): Promise<void> {
	const store = await openStore(options);
	try {
		const logs = await Promise.all(['a', 'b'].map((account) => logOf(store, account)));
		for (const log of logs) expectGapless(log);
		const there = new Set(logs.flat().map((event) => `${event.account_id} ${event._id}`));
		expect([...lines].filter((line) => !there.has(line))).toEqual([]);
	} finally {
		await store.close();
	}
}

test('W1: When the process is killed again and again, then the embedded log has no gap and nothing is lost', async () => {
	const dataDir = mkdtempSync(join(tmpdir(), 'slotwise-kill-'));
	const options: StoreOptions = { form: 'embedded', dataDir };
	const acknowledged = new Acknowledged();
	for (let kill = 0; kill < 4; kill++) {
		const child = acknowledged.start(options);
		await acknowledged.more(child);
		child.kill('SIGKILL');
		expect(await child.exited).toBe('SIGKILL');
		await expectAllThere(options, acknowledged);
	}
	expect(acknowledged.lines.size).toBeGreaterThan(4);
	rmSync(dataDir, { recursive: true });
});

const testWithMongo = mongoUrl ? test : test.skip;
testWithMongo(
	'W1: When three processes append and one after the other is killed (TEST_MONGO_URL), then likewise',
	async () => {
		const url = new URL(mongoUrl!);
		url.pathname = `/kill_${randomBase62(12)}`;
		const options: StoreOptions = {
			form: 'cluster',
			mongoUrl: url.href,
			namespace: 'unused',
			patience: STORE_PATIENCE,
		};
		const acknowledged = new Acknowledged();
		const running = [1, 2, 3].map(() => acknowledged.start(options));
		for (let kill = 0; kill < 6; kill++) {
			const index = randomIndex(3);
			await acknowledged.more(running[index]!);
			running[index]!.kill('SIGKILL');
			expect(await running[index]!.exited).toBe('SIGKILL');
			running[index] = acknowledged.start(options);
		}
		for (const child of running) child.kill('SIGKILL');
		await Promise.all(running.map((child) => child.exited));
		await expectAllThere(options, acknowledged);
		const store = await openStore(options);
		await store.connection.dropDatabase();
		await store.close();
	},
);
