import { beforeAll, describe, expect, test } from '@jest/globals';
import {
	type BookingDocument,
	type BookingModel,
	bookingModel,
	NO_SEAT,
} from '../../services/booking/document/booking.model.ts';
import { BookingLists, type ListQuery, type ListWindow } from '../../services/booking/document/booking-lists.ts';
import { filler } from '../../services/booking/document/keys.ts';
import { orderOf } from '../../services/booking/document/list-filters.ts';
import type { BookingFilters, BookingSort } from '../../shared/contract/schemas/booking.ts';
import { EmbeddedConnection } from '../../shared/store/embedded/connection.ts';
import { planQuery } from '../../shared/store/embedded/query/plan.ts';
import { prepareModels } from '../../shared/store/prepare-models.ts';
import { onBothForms } from '../store/stores.ts';

const SERVICES = [1, 2, 3];
const STATUSES = ['pending', 'confirmed', 'cancelled'] as const;
const SORTS: BookingSort[] = ['id', '-id', 'starts_at', '-starts_at', 'updated_at', '-updated_at'];

const dayOf = (n: number) => `2027-01-${String(1 + (n % 28)).padStart(2, '0')}`;
const momentOf = (n: number) => `2026-12-01T10:00:0${n % 7}.000Z`;
const phoneOf = (n: number) => `+1555010${n % 6}`;

/** Bookings whose fields repeat in different rhythms, of two accounts; each tenth is deleted. */
function booking(id: number): BookingDocument {
	const service_id = 1 + (id % 3);
	const isDeleted = id % 10 === 0;
	const phone = id % 4 === 0 ? null : phoneOf(id);
	const free = filler(id);
	return {
		_id: id,
		account_id: id % 9 === 0 ? 'other' : 'mine',
		service_id,
		listed_under: isDeleted ? 0 : service_id,
		counted_under: 0,
		time_slot_id: 10 * service_id + (id % 2),
		date: dayOf(id * 5),
		starts_ms: 1_800_000_000_000 + (id % 13) * 3_600_000,
		status: STATUSES[id % 5 === 0 ? 2 : id % 2]!,
		cancel_reason: null,
		message: null,
		place: '',
		seat: NO_SEAT,
		customer_key: free,
		idempotency_key: free,
		idempotency: null,
		customer: { id, name: null, email: null, phone, created_at: '', updated_at: '' },
		email_key: `c${id % 11}@example.com`,
		outbox: [],
		relay_at: 0,
		version: 1,
		write_id: free,
		created_at: momentOf(id),
		updated_at: momentOf(id * 3),
		deleted_at: isDeleted ? momentOf(id) : null,
	};
}

/** What the database is asked, with the index that is to be used. */
interface Asked {
	filter: Record<string, unknown>;
	options: { sort?: Record<string, 1 | -1>; limit?: number; hint?: string };
}

const FILTERS: BookingFilters[] = [
	{},
	{ status: 'cancelled' },
	{ time_slot_id: 21 },
	{ date: dayOf(5) },
	{ date_from: dayOf(20) },
	{ date_to: dayOf(3) },
	{ date_from: dayOf(4), date_to: dayOf(9) },
	{ date: dayOf(5), date_from: dayOf(4), date_to: dayOf(9) },
	{ date: dayOf(5), date_from: dayOf(9) },
	{ customer_email: 'C3@example.com' },
	{ customer_phone: phoneOf(1) },
	{ updated_since: '2026-12-01T11:00:04+01:00' },
	{ status: 'pending', customer_phone: phoneOf(3), date_from: dayOf(4) },
	{ time_slot_id: 20, updated_since: momentOf(3), status: 'confirmed' },
	{ customer_email: 'nobody@example.com' },
];

const matches = ({ customer, ...row }: BookingDocument, filters: BookingFilters): boolean =>
	(filters.status ?? row.status) === row.status &&
	(filters.time_slot_id ?? row.time_slot_id) === row.time_slot_id &&
	(filters.date ?? row.date) === row.date &&
	(filters.date_from ?? row.date) <= row.date &&
	(filters.date_to ?? row.date) >= row.date &&
	(filters.customer_email ?? row.email_key).toLowerCase() === row.email_key &&
	(filters.customer_phone ?? customer.phone) === customer.phone &&
	Date.parse(filters.updated_since ?? row.updated_at) <= Date.parse(row.updated_at);

function ordered(rows: BookingDocument[], sort: BookingSort): BookingDocument[] {
	const direction = sort.startsWith('-') ? -1 : 1;
	const { field } = orderOf(sort);
	const key = (row: BookingDocument) => (field === '_id' ? '' : row[field]) + String(row._id).padStart(9, '0');
	return rows.sort((left, right) => (key(left) < key(right) ? -direction : direction));
}

onBothForms('lists of bookings', (open) => {
	let model: BookingModel;
	let lists: BookingLists;
	let rows: BookingDocument[];
	const asked: Asked[] = [];

	beforeAll(async () => {
		const { connection } = await open();
		model = bookingModel(connection);
		await prepareModels([model]);
		rows = Array.from({ length: 500 }, (_, index) => booking(index + 1));
		await model.insertMany(rows, { lean: true });
		lists = new BookingLists(model);
		const collection = model.collection as unknown as Record<'find' | 'countDocuments', (...args: never[]) => unknown>;
		for (const method of ['find', 'countDocuments'] as const) {
			const original = collection[method];
			collection[method] = function (this: unknown, ...args: never[]) {
				const [filter, options] = args as unknown as [Asked['filter'], Asked['options']];
				asked.push({ filter, options });
				return original.apply(this, args);
			};
		}
	});

	test('When slots are asked for that bookings are of, then it is those of the service, cancelled ones included', async () => {
		const mine = rows.filter((row) => row.account_id === 'mine' && row.listed_under === 2);
		const ids = [...new Set(mine.map(({ time_slot_id }) => time_slot_id))];
		const cancelled = mine.find(({ status }) => status === 'cancelled')!;
		expect(ids).toContain(cancelled.time_slot_id);
		const booked = await lists.bookedSlots({ account_id: 'mine', service_id: 2 }, [...ids, 10, 11, 7_777]);
		expect(booked.sort()).toEqual(ids.sort());
		expect(await lists.bookedSlots({ account_id: 'other', service_id: 2 }, [7_777])).toEqual([]);
	});

	const expected = (service_ids: number[], filters: BookingFilters, sort: BookingSort) => {
		const listed = rows.filter((row) => row.account_id === 'mine' && service_ids.includes(row.listed_under));
		return ordered(
			listed.filter((row) => matches(row, filters)),
			sort,
		);
	};

	/** @param count the first ones of them that are to be read whole, as they are then checked to be */
	const idsOf = async (query: ListQuery, window: ListWindow, count = 0) => {
		const { ranked, first } = await lists.page(query, window, count);
		const ids = ranked.map(({ id }) => id);
		expect(first.map(({ _id, account_id }) => [account_id, _id])).toEqual(
			ids.slice(0, count).map((id) => ['mine', id]),
		);
		return ids;
	};

	describe.each([[[1]], [SERVICES]])('of the services %p', (service_ids) => {
		const filters = FILTERS.filter((one) => service_ids.length === 1 || Object.keys(one).length > 0);
		test.each(filters)(
			'B7: When the filter is %o, then what matches comes in each order, page by page',
			async (filter) => {
				for (const sort of SORTS) {
					const query = { scope: { account_id: 'mine', service_ids }, filters: filter, order: orderOf(sort) };
					const ids = expected(service_ids, filter, sort).map(({ _id }) => _id);
					expect(await lists.total(query)).toBe(ids.length);
					const all = await idsOf(query, { offset: 0, limit: 1_000 });
					expect([sort, all]).toEqual([sort, ids]);
					const [one, ...others] = all;
					const rows = await lists.among(query, [...others, one ?? 0, 999_999]);
					expect(rows.map(({ _id }) => _id)).toEqual(all.length === 0 ? [] : [...others, one]);
					for (const count of [0, 2, 4]) {
						const second = await idsOf(query, { offset: 3, limit: 4 }, count);
						expect(second).toEqual(ids.slice(3, 7));
					}
				}
			},
		);
	});

	test('B7: When a booking goes to another service while a list is read, then the list of the one that it left does not show it', async () => {
		const scope = { account_id: 'mine', service_ids: [1] };
		const filters = { status: 'pending' as const, date_from: '2000-01-01', date_to: '2100-01-01' };
		const query = { scope, filters, order: orderOf('updated_at') };
		const before = await idsOf(query, { offset: 0, limit: 1_000 });
		const [gone, ...rest] = before;
		const collection = model.collection as unknown as Record<'find', (...args: unknown[]) => unknown>;
		const { find } = collection;
		let hasMoved = false;
		collection.find = function (this: unknown, ...args: unknown[]) {
			const cursor = { toArray: async () => [] as unknown[] };
			cursor.toArray = async () => {
				if ('_id' in (args[0] as object) && !hasMoved) {
					hasMoved = true;
					await model.updateOne({ account_id: 'mine', _id: gone }, { listed_under: 2 });
				}
				return (find.apply(this, args) as typeof cursor).toArray();
			};
			return cursor;
		};
		try {
			const shown = await lists.among(query, await idsOf(query, { offset: 0, limit: 1_000 }));
			expect(hasMoved).toBe(true);
			expect(shown.map(({ _id }) => _id)).toEqual(rest);
		} finally {
			collection.find = find;
			await model.updateOne({ account_id: 'mine', _id: gone }, { listed_under: 1 });
		}
	});

	const begun = { service: { account_id: 'mine', service_id: 1 }, moment: 1_800_000_000_000 + 5 * 3_600_000 };
	const begunAfter = (row: BookingDocument | undefined, limit: number) => {
		const after = row && { id: row._id, at: row.starts_ms! };
		return lists.between(begun.service, -8_640_000_000_000_000, begun.moment - 1, 'starts_at', {
			after,
			limit,
		});
	};

	test('C4: When those are asked for that began before a moment, then they come in that order, page by page', async () => {
		const mine = expected([1], {}, 'starts_at').filter(({ starts_ms }) => starts_ms! < begun.moment);
		const read: BookingDocument[] = [];
		for (;;) {
			const page = await begunAfter(read.at(-1), 7);
			read.push(...page);
			if (page.length < 7) break;
		}
		expect(mine.length).toBeGreaterThan(30);
		expect(read.map(({ _id }) => _id)).toEqual(mine.map(({ _id }) => _id));
	});

	const single = FILTERS.filter((one) => Object.keys(one).length <= 1);
	test('B7: When a filter stands alone, or an order in a service, then an index answers it and nothing is scanned', async () => {
		asked.length = 0;
		for (const service_ids of [[1], SERVICES]) {
			for (const filters of single) {
				if (service_ids.length > 1 && Object.keys(filters).length === 0) continue;
				for (const sort of service_ids.length === 1 && Object.keys(filters).length === 0 ? SORTS : (['id'] as const)) {
					const query = { scope: { account_id: 'mine', service_ids }, filters, order: orderOf(sort) };
					await lists.total(query);
					await idsOf(query, { offset: 0, limit: 10 });
				}
			}
		}
		const [first] = await begunAfter(undefined, 10);
		await begunAfter(first, 1_000);
		expect(asked.length).toBeGreaterThan(50);
		for (const one of asked.splice(0)) await expectIndexed(one); // explaining asks as well
	});

	test('F1: When the bookings between two moments are asked for, then they come by their start in either direction, along an index', async () => {
		const [from, to] = [1_800_000_000_000 + 3 * 3_600_000, 1_800_000_000_000 + 9 * 3_600_000];
		for (const sort of ['starts_at', '-starts_at'] as const) {
			const order = orderOf(sort);
			const due = expected([2], {}, sort).filter(({ starts_ms }) => starts_ms! >= from && starts_ms! <= to);
			expect(due.length).toBeGreaterThan(40);
			const ids = [];
			asked.length = 0;
			for (let after: BookingDocument | undefined; ; ) {
				const window = { after: after && { id: after._id, at: after[order.field]! }, limit: 9 };
				const some = await lists.between({ account_id: 'mine', service_id: 2 }, from, to, sort, window);
				ids.push(...some.map(({ _id }) => _id));
				if (some.length < 9) break;
				after = some.at(-1)!;
			}
			expect([sort, ids]).toEqual([sort, due.map(({ _id }) => _id)]);
			for (const one of asked.splice(0)) await expectIndexed(one);
		}
	});

	async function expectIndexed(one: Asked): Promise<void> {
		const connection: unknown = model.db;
		if (connection instanceof EmbeddedConnection) expectSearch(connection, one);
		else await expectIndexScan(one);
	}

	/** SQLite says SEARCH where it looks into an index, SCAN where it reads a table or an index from its beginning. */
	function expectSearch(connection: EmbeddedConnection, { filter, options }: Asked): void {
		const table = connection.openTable('bookings');
		const sort = Object.entries(options.sort ?? {});
		const plan = planQuery(table, filter as never, sort, (options.limit ?? 0) > 0, options.hint);
		const sql = `EXPLAIN QUERY PLAN SELECT _id ${plan.from}${plan.orderBy}`;
		const detail = table.database.all(sql, ...plan.ranges[0]!).map((row) => row.at(-1));
		expect([filter, detail]).toEqual([
			filter,
			[expect.stringMatching(/^SEARCH bookings USING ((COVERING )?INDEX|INTEGER PRIMARY KEY)/)],
		]);
		const isLookUp = options.hint === '_id_';
		const paths = Object.keys(filter).filter((path) => path !== '_id');
		const used = plan.paths.slice(0, plan.equal + (plan.range ? 1 : 0));
		expect([filter, plan.ordered, isLookUp || paths.every((path) => used.includes(path))]).toEqual([
			filter,
			true,
			true,
		]);
	}

	async function expectIndexScan({ filter, options }: Asked): Promise<void> {
		const { sort: _, ...unsorted } = options;
		const plan = JSON.stringify(await model.collection.find(filter, unsorted as never).explain());
		expect(plan).toMatch(/Index (Only )?Scan|IXSCAN/);
		expect(plan).not.toMatch(/Seq Scan|COLLSCAN/);
		if (options.hint !== undefined) expect(plan).toContain(`"${options.hint}"`);
	}
});

onBothForms('a list of more than 10,000 matches', (open) => {
	test('B7: When a filter leaves more than 10,000, then its pages and totals are right all the same', async () => {
		const { connection } = await open();
		const model = bookingModel(connection);
		await prepareModels([model]);
		const COUNT = 10_500;
		for (let from = 1; from <= COUNT; from += 1_500) {
			const some = Array.from({ length: 1_500 }, (_, index) => booking(from + index));
			const mine = some.map((row) => ({ ...row, account_id: 'mine', service_id: 1, listed_under: 1 }));
			await model.insertMany(mine, { lean: true });
		}
		const lists = new BookingLists(model);
		const scope = { account_id: 'mine', service_ids: [1] };
		for (const sort of SORTS) {
			const query = { scope, filters: { date_from: '2027-01-01' }, order: orderOf(sort) };
			expect(await lists.total(query)).toBe(COUNT);
			const all = Array.from({ length: COUNT }, (_, index) => booking(index + 1));
			const ids = ordered(all, sort).map(({ _id }) => _id);
			const { ranked } = await lists.page(query, { offset: 8_000, limit: 20 }, 20);
			expect([sort, ranked.map(({ id }) => id)]).toEqual([sort, ids.slice(8_000, 8_020)]);
		}
	});
});
