import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { bound } from '../support/bound.ts';
import { until } from '../support/until.ts';
import { Locks, untilWaiting } from './locks.ts';
import { describeWithRedis } from './redis-server.ts';
import { timed } from './timed.ts';

const TTL = 3_000;

describeWithRedis('the death of processes', () => {
	let locks: Locks;
	const processes: ChildProcess[] = [];
	beforeAll(async () => {
		locks = await Locks.start();
	});
	afterEach(async () => {
		for (const child of processes.splice(0)) child.kill('SIGKILL');
		await locks.closeAll();
	});
	afterAll(() => locks.stop());

	/** Another process, ready to take the place or its position in line when it is told to go. */
	async function start(place: string): Promise<ChildProcess> {
		const file = fileURLToPath(new URL('holder-process.ts', import.meta.url));
		const child = fork(file, [locks.redis.url, place, String(TTL)], {
			execArgv: ['--disable-warning=ExperimentalWarning'],
		});
		processes.push(child);
		await once(child, 'message');
		return child;
	}

	async function kill(child: ChildProcess): Promise<void> {
		child.kill('SIGKILL');
		await once(child, 'exit');
	}

	test('L7: When the holder is killed, then the next one goes on within TTL + 100 ms, and the others behind it', async () => {
		const patient = { maxWait: 30_000 };
		const [b, c] = [await locks.open({ ...patient, ttl: TTL }), await locks.open({ ...patient, ttl: 10_000 })];
		const place = locks.place();
		const holder = await start(place);
		holder.send('go');
		await once(holder, 'message');
		const next = b.acquire(place);
		await untilWaiting(b, place, 1);
		const last = c.acquire(place);
		await untilWaiting(b, place, 2);
		const granted = timed(next);
		await kill(holder);
		const { result: lease, ms } = await granted;
		expect(lease).toBeDefined();
		expect(ms).toBeLessThanOrEqual(TTL + bound(100));
		const { result: handedOver, ms: after } = await timed(lease!.release().then(() => last));
		expect(handedOver).toBeDefined();
		expect(after).toBeLessThan(bound(100));
		expect(await handedOver!.release()).toBe(true);
	});

	test('L7: When the next in line is killed, then the lock passes by it at once', async () => {
		const [a, c] = [await locks.open({ ttl: 10_000 }), await locks.open({ ttl: 10_000, maxWait: 30_000 })];
		const place = locks.place();
		const next = await start(place);
		const lease = await a.acquire(place);
		next.send('go');
		await untilWaiting(a, place, 1);
		const waiting = c.acquire(place);
		await untilWaiting(a, place, 2);
		await kill(next);
		const [dead] = (await locks.line(place))[0]!.split('.');
		await until(async () => (await locks.redis.admin.pubsub('NUMSUB', `test:lock:process:${dead}`))[1] === 0);
		const { result, ms } = await timed(lease!.release().then(() => waiting));
		expect(result).toBeDefined();
		expect(ms).toBeLessThan(bound(100));
		expect(await result!.release()).toBe(true);
	});

	test('L7: When the next in line is stopped, then it costs the others one lease, and it waits anew', async () => {
		const [a, c] = [await locks.open({ ttl: TTL }), await locks.open({ ttl: 10_000, maxWait: 30_000 })];
		const place = locks.place();
		const next = await start(place);
		const lease = await a.acquire(place);
		next.send('go');
		await untilWaiting(a, place, 1);
		const waiting = c.acquire(place);
		await untilWaiting(a, place, 2);
		next.kill('SIGSTOP');
		const { result, ms, wall } = await timed(lease!.release().then(() => waiting));
		expect(result).toBeDefined();
		expect(wall).toBeGreaterThan(TTL - 100);
		expect(ms).toBeLessThanOrEqual(TTL + bound(100));
		const message = once(next, 'message');
		next.kill('SIGCONT');
		await untilWaiting(a, place, 1);
		await result!.release();
		expect((await message)[0].remaining).toBeGreaterThan(0);
		const release = once(next, 'message');
		next.send('release');
		expect((await release)[0]).toEqual({ ours: true });
	});
});
