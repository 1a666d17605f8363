import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Cluster, whyNoProof } from '../proof/cluster.ts';
import { anySeed, Random } from '../proof/random.ts';
import { Client } from '../support/http-client.ts';
import { startProduct } from '../support/product.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';
import { WebhookStory } from './webhook-story.ts';

/** Kills of a random process; nightly 200 */
const KILLS = Number(process.env.WEBHOOK_KILLS ?? 20);
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
}, 180_000);

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
	180_000 + KILLS * 20_000,
);
