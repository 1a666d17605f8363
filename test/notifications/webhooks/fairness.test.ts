import { expect, test } from '@jest/globals';
import { percentile } from '../../../bench/statistics.ts';
import { newDelivery } from '../../../services/notifications/webhooks/store/delivery.model.ts';
import { newSecret, sealSecret } from '../../../services/notifications/webhooks/store/secrets.ts';
import { isAlone } from '../../support/bound.ts';
import { until } from '../../support/until.ts';
import { newEvent } from '../new-events.ts';
import { describeForms } from '../service-world.ts';
import { EngineWorld, id } from './engine-world.ts';

const ACCOUNTS = 80;
const WEBHOOKS = 25;
const PAGE = 500;

/** 2,000 webhooks of 80 accounts, each on a host of its own that hangs; each has failed before and has a delivery due. */
async function addFailing(world: EngineWorld): Promise<void> {
	const { store, rows } = world;
	const { id: model } = await world.webhook('model', () => ({ status: 204 }));
	const { _id: _, ...like } = await world.stored('model', model);
	const now = world.world.clock.now();
	const webhooks = Array.from({ length: ACCOUNTS * WEBHOOKS }, (_, number) => ({
		...like,
		_id: 10_000 + number,
		account_id: `account-${number % ACCOUNTS}`,
		url: `http://127.2.${number >> 8}.${number & 255}/`,
		...{ place: `place-${number}`, url_place: `url-${number}`, idempotency_key: `key-${number}` },
		secret: sealSecret(world.webhooks.secretBox, 10_000 + number, newSecret()),
		...{ failing_since: now - 1, failed_at: now - 1, wake_at: now },
	}));
	const data = { timestamp: new Date(now).toISOString(), data: {} };
	const deliveries = webhooks.map(({ _id, account_id }) =>
		newDelivery(
			{
				_id,
				account_id,
				webhook_id: _id,
				event_id: `evt_${_id}`,
				event_type: 'webhook.test',
				sequence: 0,
				test: data,
			},
			store,
		),
	);
	const known = new Set(Object.keys(rows.webhooks.schema.paths));
	const fit = webhooks.map((webhook) =>
		Object.fromEntries(Object.entries(webhook).filter(([name]) => known.has(name))),
	);
	for (let at = 0; at < webhooks.length; at += PAGE) {
		await rows.deliveries.insertMany(deliveries.slice(at, at + PAGE), { lean: true });
		await rows.webhooks.insertMany(fit.slice(at, at + PAGE), { lean: true });
	}
}

describeForms('X20: fairness', (openWorld) => {
	test('When 2,000 failing endpoints hang, then one that answers gets its events as it does without them', async () => {
		const world = await EngineWorld.open(await openWorld());
		await world.webhook('good', () => ({ status: 204 }));
		await world.engine();
		let events = 0;
		const lags = async (count: number) => {
			const lags: number[] = [];
			for (const end = events + count; events < end; ) {
				const event = newEvent('good', ++events);
				const start = performance.now();
				await world.append('good', [event]);
				await until(() => world.sent.some((message) => id(message) === event.id), { interval: 2 });
				lags.push(performance.now() - start);
			}
			return lags;
		};
		const before = await lags(50);
		await addFailing(world);
		await until(() => world.sent.filter(({ url }) => url.startsWith('http://127.2.')).length >= 200);
		const beside = await lags(50);
		if (isAlone) {
			const told = [before, beside].map((of) => [50, 99].map((p) => Math.round(percentile(of, p))));
			process.stderr.write(`p50 and p99 of a delivery in ms, alone and beside them: ${told.join(' · ')}\n`);
			expect(percentile(beside, 99)).toBeLessThanOrEqual(2_000);
		}
	}, 300_000);
});
