import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { percentile } from '../../bench/statistics.ts';
import { Cluster, whyNoProof } from '../proof/cluster.ts';
import { anySeed, Random } from '../proof/random.ts';
import { isAlone } from '../support/bound.ts';
import { createSurely } from '../support/create-surely.ts';
import { Client } from '../support/http-client.ts';
import { startProduct } from '../support/product.ts';
import { book, slotOn } from '../support/scheduling.ts';
import { until } from '../support/until.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';
import { WebhookStory } from './webhook-story.ts';

/** Kills of a random process: of each once; nightly 200 */
const KILLS = Number(process.env.WEBHOOK_KILLS ?? 6);
/** Endpoints that hang: more than the 20 attempts at once of a host; nightly 50 */
const HANGING = Number(process.env.HANGING_ENDPOINTS ?? 30);
const seed = Number(process.env.PROOF_SEED ?? anySeed());
const missing = whyNoProof();
const [onCluster, why] = missing === undefined ? [test, ''] : [test.skip, ` (skipped: ${missing})`];

let receiver: WebhookReceiver;
beforeAll(async () => {
	receiver = await WebhookReceiver.start();
});
afterAll(() => receiver.stop());

interface Victim {
	kill(): Promise<void>;
	revive(): Promise<void>;
}

/** Two accounts book while one victim after the other is killed and started again; then W1 must hold. */
async function survive(accounts: Client[], next: () => Victim, kills: number, random: Random): Promise<void> {
	const stories = accounts.map((client) => new WebhookStory(client, receiver));
	for (const story of stories) await story.start();
	for (let kill = 0; kill < kills; kill++) {
		await delay(300 + 700 * random.next());
		const victim = next();
		await victim.kill();
		await victim.revive();
	}
	await delay(500);
	for (const story of stories) await story.end();
	for (const story of stories) expect(await story.check()).toBeGreaterThan(kills);
}

test(`W1: When the embedded process is killed 4 times, then every change arrives, under one id, in a gapless sequence (seed ${seed})`, async () => {
	const product = await startProduct({ form: 'embedded', keys: { Unlimited: 2 } });
	const [process] = product.processes;
	const victim: Victim = {
		async kill() {
			process!.kill('SIGKILL');
			await process!.exited;
		},
		async revive() {
			await process!.restart();
			await process!.ready();
		},
	};
	const accounts = product.keys.Unlimited.map((key) => new Client(() => product.urls(), key));
	try {
		await survive(accounts, () => victim, 4, new Random(seed));
	} finally {
		await product.stop();
	}
});

test(`W4: When ${HANGING} endpoints hang, then another one gets its events at once`, async () => {
	const product = await startProduct({ form: 'embedded', keys: { Unlimited: 3 } });
	try {
		const [good, ...bad] = product.keys.Unlimited.map((key) => new Client(() => product.urls(), key));
		receiver.reply = ({ path }) => (path.startsWith('/hanging') ? undefined : { status: 204 });
		for (let number = 0; number < HANGING; number++) {
			const url = receiver.url(`/hanging/${number}`);
			await createSurely(bad[number % 2]!, '/v1/webhooks', { url });
		}
		await createSurely(good!, '/v1/webhooks', { url: receiver.url('/good') });
		const places = await Promise.all([good!, ...bad].map((client) => slotOn(client, { max_bookings: 100 })));
		for (const at of [1, 2]) for (let n = 0; n < 5; n++) await book(bad[at - 1]!, places[at]!);
		const hanging = () => receiver.received.filter(({ path }) => path.startsWith('/hanging'));
		// Twenty at once, as they are on one host, for 15 s each; retries of the first ones come between.
		await until(() => new Set(hanging().map(({ path }) => path)).size === HANGING, { timeout: 180_000 });
		const times: number[] = [];
		for (let number = 0; number < 100; number++) {
			await book(good!, places[0]!);
			const booked = performance.now();
			await until(() => receiver.of('/good').length > number, { interval: 5 });
			times.push(receiver.of('/good')[number]!.at - booked);
		}
		expect(hanging().length).toBeLessThan(HANGING * 10); // one at a time each, not all that waits
		if (isAlone) expect(percentile(times, 99)).toBeLessThanOrEqual(2_000);
	} finally {
		await product.stop();
		receiver.reply = () => ({ status: 204 });
	}
});

onCluster(
	`W1: When gateway, booking and notifications processes are killed ${KILLS} times, then likewise (seed ${seed})${why}`,
	async () => {
		const cluster = await Cluster.start({ counts: { gateway: 2, booking: 2, notifications: 2 } });
		const random = new Random(seed);
		const victims = cluster.victims().filter(({ name }) => /^(gateway|booking|notifications)-/.test(name));
		let order: Victim[] = [];
		const next = () => {
			if (order.length === 0) order = random.shuffled(victims); // each has its turn
			return order.pop()!;
		};
		const accounts = cluster.accounts().map(({ http }) => http);
		try {
			await survive(accounts, next, KILLS, random);
		} finally {
			await cluster.stop();
		}
	},
	600_000 + KILLS * 20_000,
);
