import { describe, expect, test } from '@jest/globals';
import { newEvent, newEvents } from '../new-events.ts';
import { describeForms } from '../service-world.ts';
import { type Answer, EngineWorld, id } from './engine-world.ts';

const HOUR = 3_600_000;
/** ms, as contract §8 has them: 5 s, 5 min, 30 min, then hours */
const SCHEDULE = [5_000, 300_000, 1_800_000, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR)];

describeForms('W3: retries', (openWorld) => {
	describe.each([0, 0.5, 1])('with the jitter at %d', (random) => {
		test('When an endpoint fails for good, then it is tried by the schedule, ten times in all, and the delivery fails', async () => {
			const world = await EngineWorld.open(await openWorld());
			world.random = random;
			await world.webhook('a', () => ({ status: 500 }));
			await world.engine();
			await world.append('a', newEvents('a', 1, 1));
			for (const [index, delay] of SCHEDULE.entries()) {
				const [delivery] = await world.settled('a', ([one]) => one?.attempts.length === index + 1);
				const wait = Math.round(delay * (1 + 0.2 * random));
				expect(delivery!.due_at - world.world.clock.now()).toBe(wait);
				await world.pass(wait - 1);
				expect((await world.deliveries('a'))[0]!.attempts).toHaveLength(index + 1);
				await world.pass(1);
			}
			const [delivery] = await world.settled('a', ([one]) => one?.status === 'failed');
			expect(delivery).toMatchObject({ due_at: 0, made: 10 });
			expect(delivery!.attempts).toHaveLength(10);
			expect(new Set(world.sent.map(id))).toEqual(new Set(['evt_1_1']));
			expect(new Set(world.sent.map(({ body }) => body)).size).toBe(1);
			const signed = world.sent.map(({ headers }) => headers['webhook-timestamp']);
			expect(new Set(signed).size).toBe(10); // each attempt is signed at its own time
		});
	});

	test('When an answer asks to wait longer, then that is done; shorter, and beyond a day, is not', async () => {
		const world = await EngineWorld.open(await openWorld());
		const answers: Answer[] = [
			{ status: 429, retry_after: 3_600 },
			{ status: 503, retry_after: 1 },
			{ status: 503, retry_after: 999_999 },
		];
		await world.webhook('a', () => answers[world.sent.length - 1]!);
		await world.engine();
		await world.append('a', newEvents('a', 1, 1));
		for (const [index, wait] of [HOUR, HOUR / 12, 24 * HOUR].entries()) {
			const [delivery] = await world.settled('a', ([one]) => one?.attempts.length === index + 1);
			expect(delivery!.due_at - world.world.clock.now()).toBe(wait);
			await world.pass(wait);
		}
	});

	test('When more waits than the endpoint takes, then a retry comes in its turn, before what happened later', async () => {
		const world = await EngineWorld.open(await openWorld());
		let open = () => {};
		const gate = new Promise<void>((resolve) => {
			open = resolve;
		});
		await world.webhook('a', async () => {
			if (world.sent.length === 1) return { status: 500 };
			await gate;
			return { status: 204 };
		});
		await world.engine();
		await world.append('a', newEvents('a', 1, 1));
		await world.settled('a', ([one]) => one?.attempts.length === 1);
		await world.append('a', newEvents('a', 2, 40));
		await world.settled('a', (all) => all.length === 41);
		await world.seconds(6);
		await world.append('a', newEvents('a', 42, 200));
		await world.settled('a', (all) => all.length === 241);
		open();
		await world.settled('a', (all) => all.every(({ status }) => status === 'delivered'));
		const sent = world.sent.map(id);
		expect(sent.lastIndexOf('evt_1_1')).toBeLessThan(sent.indexOf('evt_120_1'));
	});

	test('When a retry succeeds, then the delivery is delivered and the endpoint fails no longer', async () => {
		const world = await EngineWorld.open(await openWorld());
		const { id: webhook } = await world.webhook('a', () => ({ status: world.sent.length === 1 ? null : 204 }));
		await world.engine();
		await world.append('a', newEvents('a', 1, 1));
		await world.settled('a', ([one]) => one?.attempts.length === 1);
		await world.seconds(5);
		const [delivery] = await world.settled('a', ([one]) => one?.status === 'delivered');
		expect(delivery!.attempts.map(({ status }) => status)).toEqual([null, 204]);
		await world.becomes('a', webhook, ({ failing_since }) => failing_since === 0);
	});
});

describeForms('W3: disabling', (openWorld) => {
	test('When an endpoint answers 410, then it is disabled at once, says so, and what waits fails', async () => {
		const world = await EngineWorld.open(await openWorld());
		const { id: webhook } = await world.webhook('a', () => ({ status: world.sent.length === 1 ? 500 : 410 }));
		await world.engine();
		await world.append('a', [newEvent('a', 1)]);
		await world.settled('a', ([one]) => one?.attempts.length === 1);
		await world.append('a', [newEvent('a', 2)]);
		const deliveries = await world.settled(
			'a',
			(all) => all.length === 2 && all.every((one) => one.status === 'failed'),
		);
		expect(deliveries.map(({ attempts }) => attempts.map(({ status }) => status))).toEqual([[500], [410]]);
		await world.becomes('a', webhook, ({ enabled }) => !enabled);
		const stored = await world.stored('a', webhook);
		expect(stored).toMatchObject({ enabled: false, disabled_reason: 'gone', version: 2 });
		expect(Date.parse(stored.disabled_at!)).toBe(world.world.clock.now());
		await world.append('a', [newEvent('a', 3)]);
		await world.pass(24 * HOUR);
		expect(await world.deliveries('a')).toHaveLength(2); // nothing is queued while it is disabled
		expect(world.sent).toHaveLength(2);
	});

	test('When every attempt of five days fails, then it is disabled and says so; a success in between begins anew', async () => {
		const world = await EngineWorld.open(await openWorld());
		let works = false;
		const { id: webhook } = await world.webhook('a', () => ({ status: works ? 204 : 500 }));
		await world.engine();
		let booking = 0;
		const failAfter = async (ms: number) => {
			await world.pass(ms);
			const attempts = world.sent.length;
			await world.append('a', [newEvent('a', ++booking)]);
			await world.settled('a', (all) => all.at(-1)?.event_id === `evt_${booking}_1` && all.at(-1)!.made > 0);
			expect(world.sent.length).toBeGreaterThan(attempts);
			return world.stored('a', webhook);
		};
		await failAfter(0);
		for (let day = 0; day < 4; day++) await failAfter(24 * HOUR);
		works = true;
		expect(await failAfter(HOUR)).toMatchObject({ enabled: true });
		await world.becomes('a', webhook, ({ failing_since }) => failing_since === 0);
		works = false;
		const since = world.world.clock.now() + HOUR;
		await failAfter(HOUR);
		for (let day = 0; day < 4; day++) expect((await failAfter(24 * HOUR)).enabled).toBe(true);
		expect((await world.stored('a', webhook)).failing_since).toBe(since);
		expect((await failAfter(24 * HOUR)).enabled).toBe(true); // by a clock that is an hour behind, they are not over
		await world.pass(24 * HOUR); // what waits is tried again, and is the end of five days
		const deliveries = await world.settled('a', (all) => all.every(({ status }) => status !== 'pending'));
		expect(deliveries.at(-1)!.status).toBe('failed');
		await world.becomes('a', webhook, ({ enabled, disabled_reason }) => !enabled && disabled_reason === 'failing');
	});

	test('When failures are days of silence apart, then they are no five days of failure', async () => {
		const world = await EngineWorld.open(await openWorld());
		const { id: webhook } = await world.webhook('a', () => ({ status: 500 }), { events: ['booking.created'] });
		await world.engine();
		await world.append('a', [newEvent('a', 1)]);
		await world.settled('a', ([one]) => one?.attempts.length === 1);
		await world.rows.deliveries.updateMany({ account_id: 'a' }, { $set: { status: 'failed', due_at: 0 } });
		await world.pass(10 * 24 * HOUR);
		await world.append('a', [newEvent('a', 2)]);
		await world.settled('a', (all) => all[1]?.attempts.length === 1);
		const { clock } = world.world;
		await world.becomes('a', webhook, ({ enabled, failing_since }) => enabled && failing_since === clock.now());
	});
});
