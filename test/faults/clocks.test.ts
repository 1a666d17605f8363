import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SERVICE_NAMES, type ServiceName } from '../../shared/config/config.ts';
import { whyNoProof } from '../proof/cluster.ts';
import { recordDirectory } from '../proof/directory.ts';
import { anySeed, Random } from '../proof/random.ts';
import { keptHistory, Recorder } from '../proof/recorder.ts';
import { summarise } from '../proof/summary.ts';
import { Workload } from '../proof/workload/workload.ts';
import { askAdmin } from '../support/ask-admin.ts';
import { bound } from '../support/bound.ts';
import { createSurely } from '../support/create-surely.ts';
import { eventsOf } from '../support/feed.ts';
import { Client } from '../support/http-client.ts';
import { type Form, type Product, startProduct } from '../support/product.ts';
import { book, newCustomer, slotOn } from '../support/scheduling.ts';
import { SETTABLE, setClock } from '../support/set-clock.ts';
import { until } from '../support/until.ts';
import { idOf, WebhookReceiver } from '../support/webhook-receiver.ts';

/** Times that the clock of each process jumps, in both directions; nightly 10 */
const JUMPS = Number(process.env.CLOCK_JUMPS ?? 1);
const HOUR = 3_600_000; // ms
/**
 * Longest time in ms that an event may take. X4's 5 s are for a machine that does nothing else (ALONE=1); beside
 * other suites on two cores it only tells that nothing waits for a clock.
 */
const WITHIN = bound(5_000, 120_000);
const seed = Number(process.env.PROOF_SEED ?? anySeed());
const missing = whyNoProof();

/** Seconds that the oldest event waits, as this process tells its operator. */
async function oldestSeconds(product: Product): Promise<number> {
	const metrics = await (await askAdmin(`${product.of('booking').at(-1)!.adminUrl}/metrics`)).text();
	return Number(/^slotwise_outbox_oldest_seconds\S* (\S+)$/m.exec(metrics)?.[1] ?? Number.NaN);
}

/** Events that a receiver got, each once however often it was sent. */
function idsAt(receiver: WebhookReceiver, path: string): Set<string> {
	return new Set(receiver.of(path).map(idOf));
}

function jumps(form: Form): void {
	const suite = form === 'cluster' && missing !== undefined ? describe.skip : describe;
	suite(`X4: A clock that jumps, ${form}${form === 'cluster' && missing ? ` (skipped: ${missing})` : ''}`, () => {
		let product: Product;
		let receiver: WebhookReceiver;
		beforeAll(async () => {
			const counts = Object.fromEntries(SERVICE_NAMES.map((name) => [name, 1])) as Record<ServiceName, number>;
			product = await startProduct({ form, counts, keys: { Unlimited: 5 }, env: SETTABLE });
			receiver = await WebhookReceiver.start();
		});
		afterAll(async () => {
			await product?.stop();
			await receiver?.stop();
		});

		const newClient = () => new Client(() => product.urls(), product.keys.Unlimited.pop());

		/** A webhook for all that happens in the client's account. */
		async function listen(client: Client, path: string): Promise<void> {
			const body = { url: receiver.url(path), events: ['*'] };
			await createSurely(client, '/v1/webhooks', body);
		}

		/** Everything that the feed has was sent as well. */
		async function expectAllSent(client: Client, path: string): Promise<void> {
			const events = await eventsOf(client);
			expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
			await until(() => events.every(({ id }) => idsAt(receiver, path).has(id)), {
				timeout: WITHIN,
				what: `${events.length} deliveries; ${idsAt(receiver, path).size} came`,
			});
		}

		test('X4: When a process made 20 bookings with its clock an hour ahead and was killed, then their events come at once', async () => {
			const client = newClient();
			await listen(client, '/killed');
			const place = await slotOn(client, { max_bookings: 20 });
			const [booking] = product.of('booking');
			const [notifications] = product.of('notifications');
			setClock(product, booking!, HOUR);
			await delay(100); // it looks at its clock every 20 ms
			if (form === 'cluster') notifications!.kill('SIGSTOP'); // so that events wait in the outboxes
			await Promise.all(Array.from({ length: 20 }, () => book(client, place, newCustomer())));
			booking!.kill('SIGKILL');
			if (form === 'cluster') {
				await product.add('booking'); // it sees events of the future
				await until(async () => (await oldestSeconds(product)) > 1, { what: 'the metric to tell that events wait' });
				notifications!.kill('SIGCONT');
			}
			await booking!.restart();
			await booking!.ready();
			await until(async () => (await eventsOf(client)).length >= 20, { timeout: WITHIN, what: '20 events' });
			await expectAllSent(client, '/killed');
			await until(async () => (await oldestSeconds(product)) === 0, { what: 'nothing to wait any more' });
		});

		test('X4: When attempts of 20 events failed while the clock was an hour ahead, and the process was killed, then they are repeated as scheduled', async () => {
			const client = newClient();
			await listen(client, '/failing');
			const place = await slotOn(client, { max_bookings: 20 });
			const [notifications] = product.of('notifications');
			receiver.reply = ({ path }) => ({ status: path === '/failing' ? 500 : 204 });
			setClock(product, notifications!, HOUR);
			await delay(100); // it looks at its clock every 20 ms
			await Promise.all(Array.from({ length: 20 }, () => book(client, place, newCustomer())));
			await until(() => idsAt(receiver, '/failing').size === 20, { timeout: WITHIN, what: '20 attempts' });
			notifications!.kill('SIGKILL');
			await notifications!.exited;
			const attempts = receiver.of('/failing').length;
			receiver.reply = () => ({ status: 204 });
			await notifications!.restart(); // its clock is right again
			await notifications!.ready();
			const again = () => new Set(receiver.of('/failing').slice(attempts).map(idOf)).size;
			const scheduled = 6_000; // ms: 5 s and a fifth
			await until(() => again() === 20, { timeout: scheduled + WITHIN, what: '20 retries' });
		});

		test(
			`X4: When the clock of each process jumps there and back under load, with kills, then nothing is late or lost (seed ${seed})`,
			async () => {
				const random = new Random(seed);
				const recorder = new Recorder(keptHistory(`clocks-${form}`));
				const accounts = ['first', 'second'].map((name) => ({ name, http: newClient() }));
				const workload = new Workload({ accounts, recorder, seed, clients: 3, pace: 200 });
				for (const { name, http } of accounts) await listen(http, `/${name}`);
				await workload.prepare();
				workload.start();
				const order = product.processes.flatMap((one) => Array.from({ length: JUMPS }, () => one));
				let direction = 1;
				for (const one of random.shuffled(order)) {
					direction = -direction;
					recorder.fault(`clock of ${one.services.length > 1 ? 'slotwise' : one.services[0]}`);
					setClock(product, one, direction * HOUR);
					await delay(500 + 1_000 * random.next());
					if (random.next() < 0.5) {
						one.kill('SIGKILL');
						await one.restart(); // its clock is right then
						await one.ready();
					} else {
						setClock(product, one, 0);
					}
				}
				await workload.stop();
				await workload.settle();
				for (const { name, http } of accounts) await expectAllSent(http, `/${name}`);
				await recordDirectory(product, recorder);
				expect(summarise(recorder.lines, { duration: 60_000 }).violations).toEqual([]);
			},
			600_000 + JUMPS * 120_000,
		);
	});
}

jumps('embedded');
jumps('cluster');
