import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import type { Usage } from '../../shared/contract/schemas/usage.ts';
import { expectOutcomes } from '../proof/outcomes.ts';
import { type Answer, Client } from '../support/http-client.ts';
import { type Loss, MongoProxy } from '../support/mongo-proxy.ts';
import { type Product, startProduct } from '../support/product.ts';
import { book, getBooking, newCustomer, slotOn, tryToBook } from '../support/scheduling.ts';
import { whyNoCluster } from '../support/servers.ts';
import { until } from '../support/until.ts';

const missing = whyNoCluster();

/** One of two processes of a service loses answers of the database; the other one goes on. */
(missing === undefined ? describe : describe.skip)('X2: answers that one process loses', () => {
	let product: Product;
	let bookings: MongoProxy;
	let quotas: MongoProxy;
	const account = (index: number) => new Client(() => product.urls(), product.keys.Unlimited[index]!);

	beforeAll(async () => {
		product = await startProduct({ form: 'cluster', keys: { Unlimited: 5 } });
		bookings = await MongoProxy.to(product.mongoUrl!);
		quotas = await MongoProxy.to(product.mongoUrl!);
		await product.add('booking', { MONGO_URL: bookings.url(product.mongoUrl!) });
		await product.add('accounts', { MONGO_URL: quotas.url(product.mongoUrl!) });
	});
	afterAll(async () => {
		await product.stop();
		await Promise.all([bookings.close(), quotas.close()]);
	});

	test.each([
		[0, 'after', ['update']],
		[1, 'before', ['update']],
		[2, 'late', ['update', 'findAndModify', 'delete']],
	] as [number, Loss['how'], string[]][])(
		'When clients change one booking with If-Match (%i: %s), then what was refused left nothing behind',
		async (index, how, commands) => {
			const client = account(index);
			const { id } = await book(client, await slotOn(client));
			let every = 0;
			const lost = bookings.lost;
			bookings.lose({ commands, collections: ['bookings'], how, ms: 300, chance: () => ++every % 3 === 0 });
			const answers: Answer<Booking>[] = [];
			const change = async (name: string) => {
				for (let step = 0; step < 15; step++) {
					const { version } = await until(() => getBooking(client, id)); // a lost answer ends connections: 503 at times
					const headers = { 'if-match': `"${version}"` };
					const body = { message: `${name}.${step}` };
					answers.push(await client.patch<Booking>(`/v1/bookings/${id}`, body, { headers }));
				}
			};
			await Promise.all(['a', 'b', 'c'].map(change));
			bookings.lose(undefined);
			expect(bookings.lost).toBeGreaterThan(lost);
			const refused = answers.filter(({ status }) => status !== 200 && status < 500);
			expect(refused.filter(({ status }) => status !== 412)).toEqual([]);
			await expectOutcomes(client);
		},
	);

	test('X16: When answers about the quota are lost, then only what was made stays counted', async () => {
		const client = account(3);
		const place = await slotOn(client, { max_bookings: 100 });
		let every = 0;
		quotas.lose({ commands: ['update'], collections: ['usage'], how: 'after', chance: () => ++every % 2 === 0 });
		let made = 0;
		for (let count = 0; count < 30; count++) {
			if ((await tryToBook(client, place, newCustomer())).status === 201) made++;
		}
		quotas.lose(undefined);
		expect(quotas.lost).toBeGreaterThan(0);
		const counted = async () => (await client.get<Usage>('/v1/usage')).mustBe(200).bookings.used;
		await until(async () => (await counted()) === made, { what: `${made} bookings to be counted` });
		await expectOutcomes(client);
	});
});
