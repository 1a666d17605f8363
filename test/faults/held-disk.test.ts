import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Client } from '../support/http-client.ts';
import { leave, Operator, runHere } from '../support/operator.ts';
import { type Product, startProduct } from '../support/product.ts';
import { book, getService, newCustomer, slotOn, tryToBook } from '../support/scheduling.ts';
import { until } from '../support/until.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';
import { everyDearest } from './bystanders/dearest.ts';
import { type DearWorld, dearWorld } from './bystanders/world.ts';

/** ms for which the disk confirms nothing while requests wait; an answer that waits for no disk comes in ten */
const HELD = 1_500;

/** Requests that wait together, of the dearest: more of them are too much within their time for a slow machine */
const AT_ONCE = 15;

const directory = mkdtempSync(join(tmpdir(), 'slotwise-held-'));

describe('E2: the embedded form on a disk that confirms nothing', () => {
	let product: Product;
	let account: string;
	let client: Client;
	let bystander: Client;
	let world: DearWorld;
	let receiver: WebhookReceiver;

	beforeAll(async () => {
		product = await startProduct({
			form: 'embedded',
			keys: { Unlimited: 3 },
			env: {
				NODE_OPTIONS: `--import ${import.meta.dirname}/sabotage/held-disk.ts`,
				HELD_DISK: join(directory, 'held'),
				WEBHOOK_ALLOW_PRIVATE: '1',
			},
		});
		[client, bystander] = product.keys.Unlimited.map((key) => new Client(() => product.urls(), key)) as [
			Client,
			Client,
		];
		world = await dearWorld(client, 250);
		account = (await getService(client, world.serviceId)).provider_id;
		receiver = await WebhookReceiver.start();
	});
	afterEach(release);
	afterAll(async () => {
		await leave();
		await receiver?.stop();
		await product?.stop();
		rmSync(directory, { recursive: true });
	});

	/** What of `work` has ended while the disk was held, then all of it. */
	async function whileHeld(work: Record<string, () => Promise<unknown>>): Promise<string[]> {
		const told: string[] = [];
		hold();
		const running = Object.entries(work).map(async ([name, act]) => {
			await act();
			told.push(name);
		});
		await delay(HELD);
		const early = [...told];
		release();
		await Promise.all(running);
		return early;
	}

	test('When an account asks for every operation of the table, then it is told nothing', async () => {
		const statuses: Record<string, number> = {};
		const ask = (name: string) => async () => {
			// Reads come when there are writes that they may show.
			if (/^(list|get)/.test(name)) await delay(HELD / 3);
			statuses[name] = (await everyDearest[name]!(client, world, 0)).status;
		};
		const names = Object.keys(everyDearest);
		while (names.length > 0) {
			const some = names.splice(0, AT_ONCE);
			const early = await whileHeld({
				write: () => slotOn(client),
				...Object.fromEntries(some.map((name) => [name, ask(name)])),
			});
			expect(early).toEqual([]);
		}
		expect(Object.entries(statuses).filter(([, status]) => status >= 500)).toEqual([]);
		expect(Object.keys(statuses).sort()).toEqual(Object.keys(everyDearest).sort());
	});

	test('X7: When one account waits for the disk, then another one, that wrote nothing, does not', async () => {
		const place = await slotOn(bystander);
		const served = async () => (await bystander.get(`/v1/services/${place.service.id}`)).mustBe(200);
		// Once a second its requests are counted in the store: then it waits, too.
		const isServed = async () => {
			await served();
			const early = await whileHeld({ one: () => slotOn(client), other: served });
			expect(early).not.toContain('one');
			return early.includes('other');
		};
		await until(isServed, { what: 'the other account to be served' });
	});

	test('When something is refused because of what is not on the disk, then the refusal waits, too', async () => {
		const place = await slotOn(client, { max_bookings: 1 });
		const statuses: number[] = [];
		const booked = await book(client, await slotOn(client), newCustomer());
		const early = await whileHeld({
			first: () => book(client, place, newCustomer()),
			full: async () => {
				await delay(HELD / 3);
				statuses.push((await tryToBook(client, place, newCustomer())).status);
			},
			gone: async () => {
				void client.delete(`/v1/bookings/${booked.id}`);
				await delay(HELD / 3);
				statuses.push((await client.get(`/v1/bookings/${booked.id}`)).status);
			},
		});
		expect(early).toEqual([]);
		expect(statuses.sort((a, b) => a - b)).toEqual([400, 404]);
	});

	test('When an event is not on the disk, then no webhook is told of it', async () => {
		const path = '/held';
		(await client.post('/v1/webhooks', { url: receiver.url(path), events: ['booking.created'] })).mustBe(201);
		const place = await slotOn(client, { max_bookings: 1 });
		const early = await whileHeld({
			created: () => book(client, place, newCustomer()),
			told: () => until(() => receiver.of(path).length > 0),
		});
		expect(early).toEqual([]);
	});

	test('When an operator changes something, then the command ends when it is on the disk', async () => {
		const { operatorEnv } = product;
		const operator = new Operator(operatorEnv, product.directory, () => product.urls(), runHere(operatorEnv));
		expect(
			await whileHeld({
				key: () => operator.ask('keys', 'create', account, '--name', 'held'),
				list: async () => {
					await delay(HELD / 3);
					await operator.ask('keys', 'list', account);
				},
			}),
		).toEqual([]);
	});

	test('When it takes longer than a request may, then that is 504; when it fails, 503, and nothing is told from then on', async () => {
		const place = await slotOn(client, { max_bookings: 10 });
		const create = () => tryToBook(client, place, newCustomer());
		hold();
		expect((await create()).status).toBe(504);
		hold('fail');
		expect((await create()).status).toBe(503);
		release();
		expect((await create()).status).toBe(503);
		expect((await client.get(`/v1/bookings/${world.bookingId}`)).status).toBe(503);
	});
});

function hold(says = 'hold'): void {
	writeFileSync(join(directory, 'held'), says);
}

function release(): void {
	rmSync(join(directory, 'held'), { force: true });
}
