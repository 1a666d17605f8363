import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import type { AccountReport } from '../../shared/contract/account-reports.ts';
import type { BookingList } from '../../shared/contract/schemas/booking.ts';
import { opsWith } from '../ops/ops.ts';
import { createSurely } from '../support/create-surely.ts';
import { allEventsOf } from '../support/feed.ts';
import { Client } from '../support/http-client.ts';
import { type Form, type Product, startProduct } from '../support/product.ts';
import { book, bookingBody, getBooking, newCustomer, slotOn } from '../support/scheduling.ts';
import { whyNoCluster } from '../support/servers.ts';
import { until } from '../support/until.ts';

/** Three pages of the sweep */
const OLD = 300;
/** ms between two looks at the whole feed */
const LOOK = 200;
const LONG_AGO = '2020-03-16';

/** Kills what removes old bookings while it does, and looks whether each one went once, and no other. */
async function sweepUnderKills(
	product: Product,
	kills: (begun: () => Promise<boolean>) => Promise<void>,
): Promise<void> {
	const client = new Client(() => product.urls(), product.keys.Unlimited[0]!);
	const operate = async <T>(...words: string[]) =>
		JSON.parse((await opsWith(product.operatorEnv, product.directory, [...words, '--json'])).stdout) as T;
	const place = await slotOn(client, { max_bookings: 10_000 });
	const kept = await book(client, place, newCustomer());
	for (let at = 0; at < OLD; at += 20) {
		const bodies = Array.from({ length: 20 }, () => bookingBody({ ...place, date: LONG_AGO }, newCustomer()));
		await Promise.all(bodies.map((body) => createSurely(client, '/v1/bookings', body)));
	}
	const listed = async () => {
		const query = { service_id: place.service.id, page: 1, page_size: 1 };
		const { status, data } = await client.get<BookingList>('/v1/bookings', { query });
		return status === 200 ? data.pagination.total_items : undefined;
	};
	const [account] = (await operate<AccountReport[]>('accounts', 'list')).filter(({ id }) => id === kept.user_id);
	await operate('accounts', 'set', account!.id, '--retention', '30d');
	await kills(async () => ((await listed()) ?? OLD) < OLD);
	await until(async () => (await listed()) === 1, { what: 'a list without old bookings', timeout: 120_000 });
	const deletions = await until(
		async () => {
			const told = (await allEventsOf(client)).filter(({ type }) => type === 'booking.deleted');
			return told.length >= OLD && told;
		},
		{ interval: LOOK },
	);
	expect(new Set(deletions.map(({ data }) => (data as { id: number }).id)).size).toBe(OLD);
	expect(deletions).toHaveLength(OLD);
	const feed = await allEventsOf(client);
	expect(feed.map(({ sequence }) => sequence)).toEqual(feed.map((_, index) => index + 1));
	expect(await getBooking(client, kept.id)).toEqual(kept);
	expect(await operate<{ findings: unknown }>('audit')).toMatchObject({ findings: [] });
}

async function inProduct(form: Form, act: (product: Product) => Promise<void>): Promise<void> {
	const counts = { booking: 2, notifications: 2 };
	const product = await startProduct({ form, keys: { Unlimited: 1 }, ...(form === 'cluster' && { counts }) });
	try {
		await act(product);
	} finally {
		await product.stop();
	}
}

describe('C4: Old bookings that go under kills', () => {
	test('C4: When the process is killed again and again while it removes old bookings, embedded, then each goes once', async () => {
		await inProduct('embedded', async (product) => {
			const [slotwise] = product.processes;
			await sweepUnderKills(product, async (begun) => {
				await until(begun, { timeout: 60_000 });
				for (const after of [0, 20, 60]) {
					await delay(after);
					slotwise!.kill('SIGKILL');
					await slotwise!.exited;
					await slotwise!.restart();
					await slotwise!.ready();
				}
			});
		});
	}, 600_000);

	const inCluster = whyNoCluster() === undefined ? test : test.skip;
	inCluster(
		'C4: When processes are killed while they remove old bookings, then each goes once',
		async () => {
			await inProduct('cluster', async (product) => {
				await sweepUnderKills(product, async (begun) => {
					await until(begun, { timeout: 60_000 });
					for (const service of ['booking', 'notifications', 'booking'] as const) {
						const [one] = product.of(service);
						one!.kill('SIGKILL');
						await one!.exited;
						await delay(200);
						await one!.restart();
						await one!.ready();
					}
				});
			});
		},
		600_000,
	);
});
