import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SERVICE_NAMES } from '../../shared/config/config.ts';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import { openStore } from '../../shared/store/open-store.ts';
import { auditOf } from '../ops/ops.ts';
import { Client } from '../support/http-client.ts';
import { ProductProcess } from '../support/product-process.ts';
import { SETTABLE } from '../support/set-clock.ts';

/** A `DATA_DIR` that a release left behind after a clean end, and what it had answered. */
/** A document as it is kept, as far as the tests look at it */
interface Row {
	_id: number;
	account_id: string;
	date: string;
	customer?: { email: string | null } | null;
	data?: { id: number; customer: { email: string | null } };
}

interface Stored {
	commit: string;
	made_at: string;
	key: string;
	answers: Record<string, { status: number; body: unknown }>;
}

/** Data directories of each release; each opens, and answers as it did. */
describe.each(['0.1'])('a data directory of %s', (release) => {
	const fixture = join(import.meta.dirname, `stored-by-${release}`);
	const stored = JSON.parse(readFileSync(join(fixture, 'answers.json'), 'utf8')) as Stored;
	const directory = mkdtempSync(join(tmpdir(), 'slotwise-upgrade-'));
	const dataDir = join(directory, 'data');
	let process: ProductProcess;
	let client: Client;

	beforeAll(async () => {
		mkdirSync(dataDir, { mode: 0o700 });
		writeFileSync(join(dataDir, 'slotwise.db'), gunzipSync(readFileSync(join(fixture, 'slotwise.db.gz'))));
		writeFileSync(join(dataDir, 'secret.key'), readFileSync(join(fixture, 'secret.key')), { mode: 0o600 });
		// Under the clock of its making: what is kept for a time, such as events, would be gone today.
		const offset = Date.parse(stored.made_at) + 60_000 - Date.now();
		const env = { ...SETTABLE, CLOCK_OFFSET: String(offset), DATA_DIR: dataDir, ADMIN_PORT: '0' };
		process = await ProductProcess.start('slotwise', SERVICE_NAMES, env, directory);
		await process.ready();
		client = new Client([process.url!], stored.key);
	});

	afterAll(async () => {
		await process?.stop();
		rmSync(directory, { recursive: true, force: true });
	});

	test.each(Object.keys(stored.answers))('D3: GET %s answers as it did, new fields aside', async (path) => {
		const { status, body } = await client.get(path);
		expect({ status, body }).toMatchObject(stored.answers[path]!);
	});

	test('B1: Bookings say when they are, by their slots as they were at the upgrade', async () => {
		const list = await client.get<{ bookings: Booking[] }>('/v1/bookings?service_id=1&page=1&page_size=1000');
		const { bookings } = list.mustBe(200);
		expect(bookings.length).toBeGreaterThan(0);
		for (const { date, starts_at, ends_at, timezone, time_slot } of bookings) {
			expect({ starts_at, ends_at, timezone }).toEqual({
				starts_at: expect.stringContaining(`${date}T${time_slot.start_time.slice(11)}`),
				ends_at: expect.stringContaining(`T${time_slot.end_time.slice(11)}`),
				timezone: expect.stringMatching(/./),
			});
		}
	});

	test('D3: The capacity audit finds nothing', async () => {
		expect(await auditOf(dataDir)).toMatchObject({ code: 0, findings: [] });
	});

	test('D3: It takes bookings, up to the maximum that counts the earlier ones', async () => {
		const date = '2027-01-04';
		const { body } = await client.get(`/v1/services/1/availability?from=${date}&to=${date}`);
		const rows = (body as { data: { availability: { time_slot_id: number; remaining: number }[] } }).data.availability;
		for (const { time_slot_id, remaining } of rows) {
			for (let n = 0; n <= remaining; n++) {
				const body = {
					time_slot_id,
					date,
					customer_name: 'New',
					customer_email: `new${time_slot_id}-${n}@example.com`,
				};
				(await client.post('/v1/bookings', body)).mustBe(n < remaining ? 201 : 400);
			}
		}
	});

	test('D3: Once it is open, the store says its format, and tombstones are marked', async () => {
		await process.stop();
		const store = await openStore({ form: 'embedded', dataDir });
		try {
			const rows = (name: string, filter: object) => store.connection.collection(name).find(filter).toArray();
			expect(await rows('store_format', {})).toEqual([{ _id: 'format', version: 7, writable_from: 7 }]);
			expect(await rows('bookings', { deleted_at: null, promised: null })).toEqual([]);
			expect(await rows('bookings', { deleted_at: { $gt: '' }, relay_at: 0 })).toEqual([]);
			expect((await rows('bookings', { relay_at: -1 })).length).toBeGreaterThan(0);
			const indexes = (await store.connection.collection('bookings').listIndexes().toArray()) as { name: string }[];
			const names = indexes.map(({ name }) => name);
			expect(names).toEqual(expect.arrayContaining(['with_events', 'counted_by_occurrence']));
			expect(names).not.toEqual(expect.arrayContaining(['counted']));
		} finally {
			await store.close();
		}
	});

	test('D3: Once it is open, customers are found by their address, also those whom only events tell of any more', async () => {
		const store = await openStore({ form: 'embedded', dataDir });
		try {
			const rows = (name: string, filter: object) =>
				store.connection.collection<Row>(name).find(filter).toArray() as Promise<Row[]>;
			const kept = (await rows('bookings', { deleted_at: null })).filter(({ customer }) => customer?.email != null);
			expect(kept.length).toBeGreaterThan(0);
			for (const { _id, account_id, customer, date } of kept) {
				const entries = await rows('customers', { account_id, email_key: customer!.email!.toLowerCase() });
				expect(entries.find((entry) => entry._id === _id)).toMatchObject({ date });
			}
			const gone = (await rows('events', { type: 'booking.deleted' })).filter(
				({ data }) => data?.customer.email != null,
			);
			expect(gone.length).toBeGreaterThan(0);
			for (const { data } of gone) {
				expect((await rows('former_customers', { booking_id: data!.id })).length).toBeGreaterThan(0);
			}
		} finally {
			await store.close();
		}
	});

	test('D3: When a later release wrote it, then the start is refused with one sentence and exit code 78', async () => {
		const store = await openStore({ form: 'embedded', dataDir });
		const later = { $set: { version: 99, writable_from: 98 } };
		await store.connection.collection<{ _id: string }>('store_format').updateOne({ _id: 'format' }, later);
		await store.close();
		await process.restart();
		expect(await process.exited).toBe(78);
		expect(process.tail()).toMatch(/The store is in format 99, .+: start the newer release\.\n?$/);
	});
});
