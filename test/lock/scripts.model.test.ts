import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { describeWithRedis, RedisServer } from './redis-server.ts';
import { ScriptWorld } from './script-world.ts';

/** More with `LOCK_FUZZ_RUNS=20000`. */
const RUNS = Number(process.env.LOCK_FUZZ_RUNS ?? 300);
const PROCESSES = ['a', 'b', 'c', 'd'];

/** A step says what it is, so that a counterexample reads as a story. */
type Step = { name: string; run: (world: ScriptWorld) => Promise<void> };

const step = (name: string, run: Step['run']): Step => ({ name, run });
const anyProcess = fc.constantFrom(...PROCESSES);
const which = fc.nat({ max: 20 });
const steps = fc.oneof(
	{ weight: 8, arbitrary: anyProcess.map((p) => step(`arrive ${p}`, (w) => w.arrive(p))) },
	{ weight: 6, arbitrary: which.map((n) => step(`release ${n}`, (w) => w.release(n))) },
	{ weight: 6, arbitrary: fc.constant(step('deliver', (w) => w.deliver())) },
	{ weight: 3, arbitrary: which.map((n) => step(`come back ${n}`, (w) => w.comeBack(n))) },
	{ weight: 3, arbitrary: which.map((n) => step(`give up ${n}`, (w) => w.giveUp(n))) },
	{ weight: 2, arbitrary: fc.constant(step('expire', (w) => w.expire())) },
	{ weight: 1, arbitrary: fc.constant(step('flush', (w) => w.flush())) },
	{ weight: 1, arbitrary: fc.constantFrom('a', 'b').map((p) => step(`kill ${p}`, (w) => w.kill(p))) },
);

describeWithRedis('the scripts of the lock', () => {
	let redis: RedisServer;
	let world: ScriptWorld;
	beforeAll(async () => {
		redis = await RedisServer.start();
		world = new ScriptWorld(redis.url);
		await world.connect();
	});
	afterAll(async () => {
		world.close();
		await redis.stop();
	});

	test(
		'L6: When steps of many processes interleave at random, then one holds the lock, in order, and nobody is lost',
		async () => {
			await fc.assert(
				fc.asyncProperty(fc.array(steps, { maxLength: 60, size: 'max' }), async (story) => {
					await world.reset(PROCESSES);
					for (const { run } of story) await run(world);
					await drain();
				}),
				{ numRuns: RUNS, reporter: report },
			);
		},
		240_000 + 100 * RUNS,
	);

	/** Whatever happened: when leases end and waiters come back, each is served. */
	async function drain(): Promise<void> {
		for (let round = 2 * (world.count('waits') + world.count('holds')); round > 0; round--) {
			await world.expire();
			await world.comeBack(0);
			for (let i = 0; i < 3; i++) await world.deliver();
			while (world.count('holds') > 0) await world.release(0);
		}
		expect(world.count('waits')).toBe(0);
	}
});

function report(run: fc.RunDetails<[Step[]]>): void {
	if (!run.failed) return;
	const story = run.counterexample?.[0].map(({ name }) => name).join(', ');
	throw new Error(`seed ${run.seed}: after ${story}: ${run.errorInstance}`, { cause: run.errorInstance });
}
