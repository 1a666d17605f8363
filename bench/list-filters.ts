import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bookingModel } from '../services/booking/document/booking.model.ts';
import { BookingLists } from '../services/booking/document/booking-lists.ts';
import { orderOf } from '../services/booking/document/list-filters.ts';
import type { BookingFilters } from '../shared/contract/schemas/booking.ts';
import { openStore } from '../shared/store/open-store.ts';
import { prepareModels } from '../shared/store/prepare-models.ts';
import type { Store } from '../shared/store/store.ts';
import { fill, mondaySlots } from './fill.ts';
import { median } from './statistics.ts';

/**
 * What a page and a total cost of a list whose one filter matches nothing, among few bookings and among many.
 *
 *   node bench/list-filters.ts [few] [many]                     embedded; 1,000 and 1,000,000
 *   MONGO_URL=mongodb://… node bench/list-filters.ts [few] [many]  a server; databases of its own, removed afterwards
 */
const [few = 1_000, many = 1_000_000] = process.argv.slice(2).map(Number);
const ROUNDS = 200;

const account_id = 'acc_bench';
const NOTHING: [name: string, filters: BookingFilters][] = [
	['status', { status: 'cancelled' }],
	['time_slot_id', { time_slot_id: 99 }],
	['date', { date: '2026-01-05' }],
	['date_from', { date_from: '9000-01-01' }],
	['date_to', { date_to: '2026-01-05' }],
	['date_from, date_to', { date_from: '2026-01-05', date_to: '2026-03-05' }],
	['customer_email', { customer_email: 'nobody@example.com' }],
	['customer_phone', { customer_phone: '+15550100' }],
	['updated_since', { updated_since: '2100-01-01T00:00:00.000Z' }],
];

const directories: string[] = [];

async function filled(count: number): Promise<Store> {
	const mongoUrl = process.env.MONGO_URL;
	const directory = mkdtempSync(join(tmpdir(), 'slotwise-filters-'));
	directories.push(directory);
	const store = mongoUrl
		? await openStore({ form: 'cluster', mongoUrl, namespace: `bench_filters_${process.pid}_${count}` })
		: await openStore({ form: 'embedded', dataDir: directory });
	await prepareModels([bookingModel(store.connection)]);
	const began = performance.now();
	const plan = { account_id, service_id: 1, slots: mondaySlots(50), timezone: 'UTC', perPlace: 100, fromWeek: 0 };
	await fill(store, { ...plan, count });
	process.stdout.write(`${count} bookings in ${Math.round((performance.now() - began) / 1_000)} s\n`);
	return store;
}

/** Both stores in turns, so that the machine's other work falls on both. @returns µs each */
async function compare(stores: Store[], filters: BookingFilters, service_ids: number[]): Promise<number[]> {
	const lists = stores.map((store) => new BookingLists(bookingModel(store.connection)));
	const took: number[][] = stores.map(() => []);
	const query = { scope: { account_id, service_ids }, filters, order: orderOf('id') };
	for (let round = 0; round < ROUNDS; round++) {
		for (const [at, list] of lists.entries()) {
			const began = performance.now();
			const page = await list.page(query, { offset: 0, limit: 20 }, 20);
			const total = await list.total(query);
			took[at]!.push((performance.now() - began) * 1_000);
			if (page.ranked.length + total > 0) throw new Error('it was to match nothing');
		}
	}
	return took.map((each) => median(each));
}

const stores = [await filled(few), await filled(many)];
try {
	for (const service_ids of [[1], [1, 2, 3]]) {
		process.stdout.write(`\n${service_ids.length} service(s), µs: among ${few}, among ${many}, ratio\n`);
		for (const [name, filters] of NOTHING) {
			const [small, large] = await compare(stores, filters, service_ids);
			const figures = `${small!.toFixed(0).padStart(6)} ${large!.toFixed(0).padStart(6)}`;
			process.stdout.write(`${name.padEnd(20)} ${figures}  ${(large! / small!).toFixed(2)}\n`);
		}
	}
} finally {
	for (const store of stores) {
		if (process.env.MONGO_URL) await store.connection.dropDatabase();
		await store.close();
	}
	for (const directory of directories) rmSync(directory, { recursive: true, force: true });
}
