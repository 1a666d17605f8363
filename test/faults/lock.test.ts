import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import type { QueueReport } from '../../shared/contract/reports.ts';
import { opsWith } from '../ops/ops.ts';
import { Cluster, whyNoProof } from '../proof/cluster.ts';
import { contend, exactly } from '../proof/contention.ts';
import { isAlone } from '../support/bound.ts';
import { MovedClock, whyNoMovedClock } from '../support/moved-clock.ts';
import { slotOn, tryToBook } from '../support/scheduling.ts';

const missing = whyNoProof();
const suite = missing === undefined ? describe : describe.skip;
/** Creations at once for each capacity */
const CREATES = Number(process.env.LOCK_CREATES ?? 1_000);
/** Of the other services one: they have no part in it */
const COUNTS = { gateway: 2, booking: 3 };
const NAMESPACE = `lock${randomBytes(4).toString('hex')}`;
const SECRET_KEY = randomBytes(32).toString('base64');
/** ms of load that L5 is measured under; beside other load the times do not count, so it is short */
const LOAD_FOR = isAlone ? 15_000 : 5_000;
const HOUR = 3_600_000; // ms
const clock = whyNoMovedClock() === undefined ? new MovedClock() : undefined;
afterAll(() => clock?.remove());
const preload = (file: string) => ({ NODE_OPTIONS: `--import ${import.meta.dirname}/sabotage/${file}` });

suite(`L1: ${CREATES} creations at once for 1, 2, 10 and 100 places${missing ? ` (skipped: ${missing})` : ''}`, () => {
	let cluster: Cluster;

	beforeAll(async () => {
		cluster = await Cluster.start({ accounts: 1, counts: COUNTS, env: { NAMESPACE }, redisEnv: clock?.env });
	});
	afterAll(async () => cluster?.stop());

	test('L1: When the lock is healthy, then as many are accepted as there are places', async () => {
		expect(await contend(cluster, CREATES)).toEqual(exactly(CREATES));
	});

	test('L5: When many contend for long, then the lease is ≤ 10 s, and ≥ 10 × the p99 of what it is held for (ALONE=1)', async () => {
		await keepBooking(cluster, LOAD_FOR);
		const urls = { NATS_URL: cluster.product.nats!.url, REDIS_URL: cluster.product.redis!.url };
		const variables = { ...urls, MONGO_URL: cluster.product.mongoUrl!, NAMESPACE, SECRET_KEY };
		const { stdout } = await opsWith(variables, cluster.product.directory, ['status', '--json']);
		const { queues } = JSON.parse(stdout) as { queues: { answer: QueueReport }[] };
		const locks = queues.map(({ answer }) => answer.lock);
		process.stdout.write(`held, ms: ${JSON.stringify(locks.map(({ held, lost }) => ({ ...held, lost })))}\n`);
		expect(locks).toHaveLength(3);
		for (const { ttl, held } of locks) {
			expect(ttl).toBeLessThanOrEqual(10_000);
			expect(held.count).toBeGreaterThan(0);
			if (isAlone) expect(ttl).toBeGreaterThanOrEqual(10 * held.p99);
		}
	});

	test('L1: When the lock is flushed all the time, then likewise', async () => {
		const redis = new Redis(cluster.product.redis!.url);
		let flushes = 0;
		let isOver = false;
		const flushing = (async () => {
			while (!isOver) {
				await redis.flushall();
				flushes++;
				await delay(5);
			}
		})();
		const seen = await contend(cluster, CREATES);
		isOver = true;
		await flushing;
		redis.disconnect();
		expect(seen).toEqual(exactly(CREATES));
		expect(flushes).toBeGreaterThan(10);
	});

	(clock ? test : test.skip)('X4: When the clock of Redis jumps by an hour to and fro, then likewise', async () => {
		let jumps = 0;
		const jump = () => clock!.move([HOUR, 0, -HOUR, 0][jumps++ % 4]!);
		jump();
		const jumping = setInterval(jump, 250); // a fast machine is done in 2 s
		const seen = await contend(cluster, CREATES);
		clearInterval(jumping);
		clock!.move(0);
		expect(seen).toEqual(exactly(CREATES));
		expect(jumps).toBeGreaterThan(3);
	});

	test('L1: When the lock is switched off, then likewise', async () => {
		await cluster.proxies.redis.set({ kind: 'cut' });
		const seen = await contend(cluster, CREATES);
		await cluster.proxies.redis.set({ kind: 'none' });
		expect(seen).toEqual(exactly(CREATES));
	});

	test('L1: When Redis is killed, then likewise', async () => {
		const redis = cluster.victims().find(({ name }) => name === 'redis')!;
		const contending = contend(cluster, CREATES);
		await delay(700);
		await redis.kill();
		const seen = await contending;
		await redis.revive();
		expect(seen).toEqual(exactly(CREATES));
	});

	test('L1: When Redis stands still for 15 s, then likewise', async () => {
		const redis = cluster.victims().find(({ name }) => name === 'redis')!;
		const contending = contend(cluster, CREATES);
		await delay(300);
		redis.signal!('SIGSTOP');
		const [seen] = await Promise.all([contending, delay(15_000)]);
		redis.signal!('SIGCONT');
		expect(seen).toEqual(exactly(CREATES));
	});
});

/** Clients that book two slots, one booking after the other, so that leases are taken all the time. @param ms how long */
async function keepBooking(cluster: Cluster, ms: number): Promise<void> {
	const [{ http } = { http: undefined }] = cluster.accounts();
	const places = await Promise.all([1, 2].map(() => slotOn(http!, { max_bookings: 10_000 })));
	const end = performance.now() + ms;
	await Promise.all(
		Array.from({ length: 16 }, async (_, client) => {
			while (performance.now() < end) (await tryToBook(http!, places[client % 2]!)).mustBe(201);
		}),
	);
}

suite('L1: with a lock that ends after 1 ms', () => {
	let cluster: Cluster;

	beforeAll(async () => {
		cluster = await Cluster.start({ accounts: 1, counts: COUNTS, env: preload('lock-ttl-1ms.ts') });
	});
	afterAll(async () => cluster?.stop());

	test('L1: When leases end before their work, then as many are accepted as there are places', async () => {
		expect(await contend(cluster, CREATES)).toEqual(exactly(CREATES));
	});
});
