import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { BookingDocument } from '../../services/booking/document/booking.model.ts';
import { bookingModel } from '../../services/booking/document/booking.model.ts';
import { closureModel } from '../../services/booking/document/closures.ts';
import { slotModel } from '../../services/catalog/schedule/slot.model.ts';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import { openStore } from '../../shared/store/open-store.ts';
import type { Store } from '../../shared/store/store.ts';
import { plusDays } from '../support/calendar.ts';
import { eventsUpTo } from '../support/feed.ts';
import { Client } from '../support/http-client.ts';
import { type Product, startProduct } from '../support/product.ts';
import { book, getBooking, newCustomer, replaceSchedule, slotOn, tryToBook } from '../support/scheduling.ts';
import { until } from '../support/until.ts';
import { auditOf, kindsOf, ops } from './ops.ts';

const EVERY_ACCOUNT = { everyAccount: true } as const;
const LONG_AGO = '2026-01-01T00:00:00.000Z';

let product: Product;
let dataDir: string;
let client: Client;

beforeAll(async () => {
	product = await startProduct({ form: 'embedded', keys: { Unlimited: 2 } });
	dataDir = join(product.directory, 'data');
	client = new Client(product.urls, product.keys.Unlimited[0]);
});

afterAll(() => product?.stop());

/** Writes into the stopped store, behind the product's back. */
async function plant(damage: (store: Store) => Promise<void>): Promise<void> {
	const [process] = product.processes;
	await process!.stop();
	const store = await openStore({ form: 'embedded', dataDir });
	await damage(store).finally(() => store.close());
	await process!.restart();
	await process!.ready();
}

function change(store: Store, { id }: Booking, set: Partial<BookingDocument>) {
	return bookingModel(store.connection).updateOne({ _id: id }, { $set: set }).setOptions(EVERY_ACCOUNT);
}

function documentOf(store: Store, { id }: Booking): Promise<BookingDocument | null> {
	return bookingModel(store.connection).findOne({ _id: id }).setOptions(EVERY_ACCOUNT).lean<BookingDocument>();
}

/** Once no event is on its way: what is planted then stays as it is. */
async function relayed(): Promise<void> {
	await until(async () => JSON.parse((await ops(dataDir, 'status', '--json')).stdout).outbox.waiting === 0, {
		what: 'the outboxes to be empty',
	});
}

describe('audit', () => {
	test('When bookings were made, moved, cancelled, deleted and closed, then it finds nothing, and counts them', async () => {
		const place = await slotOn(client, { max_bookings: 3 });
		const made = await Promise.all(Array.from({ length: 8 }, () => tryToBook(client, place, newCustomer())));
		expect(made.filter(({ status }) => status === 201)).toHaveLength(3);
		const [first, second, third] = made.filter(({ status }) => status === 201).map(({ data }) => data);
		const elsewhere = plusDays(place.date, 7);
		(await client.patch(`/v1/bookings/${first!.id}`, { date: elsewhere })).mustBe(200);
		(await client.patch(`/v1/bookings/${second!.id}`, { status: 'cancelled', cancel_reason: 'ill' })).mustBe(200);
		(await client.delete(`/v1/bookings/${third!.id}`)).mustBe(200);
		await book(client, place, newCustomer());
		const closed = await slotOn(client, { max_bookings: 3 });
		await tryToBook(client, closed, newCustomer(), { headers: { 'idempotency-key': '"kept"' } });
		(await client.delete(`/v1/services/${closed.service.id}`)).mustBe(200);

		const report = await auditOf(dataDir);
		expect(report).toMatchObject({ code: 0, places: 2, findings_count: 0, findings: [], above_maximum: [] });
		expect(report.bookings).toBeGreaterThanOrEqual(3);
		expect(await ops(dataDir, 'audit', String(place.service.id))).toEqual({
			code: 0,
			stdout: '4 bookings and 2 places (slot and date) looked at: 0 findings\n',
			stderr: '',
		});
	});

	test('S2: When bookings are on a slot that was retired, then it finds nothing, and counts them, and the slot is shown', async () => {
		const place = await slotOn(client, { max_bookings: 3 });
		const { id } = place.service;
		const { id: booking_id } = await book(client, place, newCustomer());
		(await replaceSchedule(client, id, { timezone: 'UTC', time_slots: [] })).mustBe(200);
		expect(await auditOf(dataDir, String(id))).toMatchObject({ code: 0, bookings: 1, places: 1, findings: [] });
		const shown = await ops(dataDir, 'slots', 'show', String(place.slot.id), place.date, '--json');
		expect(JSON.parse(shown.stdout)).toMatchObject({ max: 3, taken: [{ booking_id }] });
	});

	test('When a maximum was lowered below what is booked, then it says so, and that is no finding', async () => {
		const place = await slotOn(client, { max_bookings: 3 });
		for (let count = 3; count > 0; count--) await book(client, place, newCustomer());
		const lowered = { time_slots: [{ id: place.slot.id, max_bookings: 1 }] };
		(await client.patch('/v1/time-slots', lowered)).mustBe(200);

		const report = await auditOf(dataDir, String(place.service.id));
		const place1 = `${place.slot.id}:${place.date}`;
		expect(report).toMatchObject({ code: 0, findings: [] });
		expect(report.above_maximum).toEqual([{ place: place1, active: 3, max: 1, seats_above: 2 }]);
	});

	test('When keys, lists and marks were damaged in the store, then it finds each, and --repair mends what it says', async () => {
		const place = await slotOn(client, { max_bookings: 5 });
		const other = await slotOn(client, { max_bookings: 4 });
		const [cancelled, strayed, unlisted, unkeyed, misnumbered] = [
			await book(client, place, newCustomer()),
			await book(client, place, newCustomer()),
			await book(client, place, newCustomer()),
			await book(client, place, newCustomer()),
			await book(client, place, newCustomer()),
		];
		const alive = await book(client, other, newCustomer());
		(await client.patch(`/v1/bookings/${cancelled.id}`, { status: 'cancelled', cancel_reason: 'ill' })).mustBe(200);
		await relayed();
		const before = await getBooking(client, strayed.id);
		const key = `${place.slot.id}:${place.date}`;
		const { taken } = JSON.parse((await ops(dataDir, 'slots', 'show', ...key.split(':'), '--json')).stdout);
		const free = [0, 1, 2, 3, 4].find((seat) => taken.every((one: { seat: number }) => one.seat !== seat));
		await plant(async (store) => {
			await change(store, cancelled, { place: key, counted_under: place.service.id, seat: free! });
			await change(store, strayed, { place: `${place.slot.id}:${plusDays(place.date, 7)}`, seat: 0 });
			await change(store, misnumbered, { seat: -7 });
			await change(store, unlisted, { listed_under: 0 });
			await change(store, unkeyed, {
				counted_under: 0,
				customer_key: 'another’s',
				idempotency_key: 'without a record',
			});
			const mark = { _id: other.service.id, account_id: alive.user_id, slots: [other.slot], closed_at: LONG_AGO };
			await closureModel(store.connection).insertMany([mark], { lean: true });
		});
		const expected = [
			`holds_after_end ${cancelled.id}`,
			`service_closed ${alive.id}`,
			`wrong_idempotency ${unkeyed.id}`,
			`wrong_keys ${strayed.id}`,
			`wrong_keys ${misnumbered.id}`,
			`wrong_keys ${unkeyed.id}`,
			`wrong_list ${unlisted.id}`,
		].sort();

		const found = await auditOf(dataDir);
		expect(kindsOf(found)).toEqual(expected);
		expect(found).toMatchObject({ code: 1, repaired_count: 0 });
		expect(found.findings.every(({ repaired, advice }) => repaired === null && advice !== '')).toBe(true);
		expect(kindsOf(await auditOf(dataDir, String(other.service.id)))).toEqual([`service_closed ${alive.id}`]);

		const repaired = await auditOf(dataDir, '--repair');
		expect(kindsOf(repaired)).toEqual(expected);
		expect(repaired).toMatchObject({ code: 1, repaired_count: 7 });
		expect(await auditOf(dataDir)).toMatchObject({ code: 0, findings: [] });

		expect(await getBooking(client, strayed.id)).toEqual(before);
		expect((await client.get(`/v1/bookings/${alive.id}`)).status).toBe(404);
		expect((await tryToBook(client, place, newCustomer())).status).toBe(201); // of four, one was cancelled
		expect((await tryToBook(client, place, newCustomer())).status).toBe(400);
	});

	test('When a booking lost its place, and another its count, then --repair gives each a seat, whoever is mended first', async () => {
		const weeks = 4;
		const place = await slotOn(client, { max_bookings: 3 });
		const dates = Array.from({ length: weeks }, (_, week) => plusDays(place.date, 7 * week));
		const onEach = () => Promise.all(dates.map((date) => book(client, { ...place, date }, newCustomer())));
		const [strayed, uncounted, ended] = [await onEach(), await onEach(), await onEach()];
		for (const { id } of ended) {
			(await client.patch(`/v1/bookings/${id}`, { status: 'cancelled', cancel_reason: 'ill' })).mustBe(200);
		}
		(await client.patch('/v1/time-slots', { time_slots: [{ id: place.slot.id, max_bookings: 2 }] })).mustBe(200);
		await relayed();
		await plant(async (store) => {
			for (const [week, date] of dates.entries()) {
				const { place: own, seat } = (await documentOf(store, strayed[week]!))!;
				await change(store, strayed[week]!, { place: `${place.slot.id}:${plusDays(date, 7 * weeks)}` });
				await change(store, uncounted[week]!, { counted_under: 0 });
				await change(store, ended[week]!, { place: own, seat, counted_under: place.service.id });
			}
		});

		const repaired = await auditOf(dataDir, String(place.service.id), '--repair');
		expect(repaired).toMatchObject({ findings_count: 3 * weeks, repaired_count: 3 * weeks });
		expect(await auditOf(dataDir)).toMatchObject({ code: 0, findings: [] });
		for (const date of dates) {
			const { taken } = JSON.parse((await ops(dataDir, 'slots', 'show', String(place.slot.id), date, '--json')).stdout);
			expect(taken).toHaveLength(2);
		}
	});

	test('When a slot is gone, or one was overbooked, then it reports that, and --repair takes nothing away', async () => {
		const orphaned = await slotOn(client, { max_bookings: 2 });
		const crowded = await slotOn(client, { max_bookings: 2 });
		const orphan = await book(client, orphaned, newCustomer());
		const crowd = [await book(client, crowded, newCustomer()), await book(client, crowded, newCustomer())];
		await relayed();
		await plant(async (store) => {
			const slots = slotModel(store.connection);
			await slots.deleteOne({ _id: orphaned.slot.id }).setOptions(EVERY_ACCOUNT);
			// As if the engine had booked a second one into a slot of one: its maximum was never another.
			const only = { max_bookings: 1 };
			await slots.updateOne({ _id: crowded.slot.id }, { $set: only }).setOptions(EVERY_ACCOUNT);
		});
		const above = crowd.map(({ id }) => id).sort((a, b) => a - b);
		const expected = [`overbooked ${above}`, `slot_missing ${orphan.id}`];

		for (const words of [[], ['--repair']]) {
			const report = await auditOf(dataDir, ...words);
			expect(report).toMatchObject({ code: 1, repaired_count: 0 });
			expect(kindsOf(report)).toEqual(expect.arrayContaining(expected));
			expect(kindsOf(report).filter((kind) => !kind.startsWith('seat_above_maximum'))).toEqual(expected);
		}
		for (const { id } of crowd) expect((await getBooking(client, id)).status).toBe('pending');
		const { stdout, code } = await ops(dataDir, 'audit', String(orphaned.service.id));
		expect({ code, lines: stdout.trim().split('\n').length }).toEqual({ code: 1, lines: 4 });
		expect(stdout).toContain('to do: restore its time slot from a backup');
		await plant(async (store) => {
			const { id, ...slot } = orphaned.slot;
			const document = { _id: id, account_id: orphan.user_id, ...slot, state: 'active', revision: 1 };
			await slotModel(store.connection).insertMany([document], { lean: true });
			const two = { max_bookings: 2 };
			await slotModel(store.connection).updateOne({ _id: crowded.slot.id }, { $set: two }).setOptions(EVERY_ACCOUNT);
		});
		expect(await auditOf(dataDir)).toMatchObject({ code: 0, findings: [] });
	});

	test('X1: When another account holds seats of a slot, as 0.1 allowed it, then --repair frees them, and the owner’s stay', async () => {
		const stranger = new Client(product.urls, product.keys.Unlimited[1]);
		const place = await slotOn(client, { max_bookings: 3 });
		const elsewhere = await slotOn(stranger, { max_bookings: 3 });
		const customers = [newCustomer(), newCustomer(), newCustomer()];
		const own = await book(client, place, customers[0]);
		const foreign = [await book(stranger, elsewhere, customers[1]), await book(stranger, elsewhere, customers[2])];
		await relayed();
		const key = `${place.slot.id}:${place.date}`;
		const { taken } = JSON.parse((await ops(dataDir, 'slots', 'show', ...key.split(':'), '--json')).stdout);
		const open = [0, 1, 2].filter((seat) => seat !== taken[0].seat);
		await plant(async (store) => {
			for (const [index, booking] of foreign.entries()) {
				const { customer_key } = (await documentOf(store, booking))!;
				await change(store, booking, {
					service_id: place.service.id,
					listed_under: place.service.id,
					counted_under: place.service.id,
					time_slot_id: place.slot.id,
					place: key,
					seat: open[index]!,
					customer_key: customer_key.replace(`${elsewhere.slot.id}:`, `${place.slot.id}:`),
				});
			}
		});
		const expected = foreign.map(({ id }) => `foreign_booking ${id}`).sort();
		expect(kindsOf(await auditOf(dataDir, String(place.service.id)))).toEqual(expected);
		const repaired = await auditOf(dataDir, '--repair');
		expect(kindsOf(repaired)).toEqual(expected);
		expect(repaired.repaired_count).toBe(2);
		expect(await auditOf(dataDir)).toMatchObject({ code: 0, findings: [] });

		expect(await getBooking(client, own.id)).toEqual(own);
		const again = await Promise.all([tryToBook(client, place, customers[1]), tryToBook(client, place, customers[2])]);
		expect(again.map(({ status }) => status)).toEqual([201, 201]);
		expect((await tryToBook(client, place, newCustomer())).error).toBe('time slot is full');
		const told = (await eventsUpTo(stranger, 4)).filter(({ type }) => type === 'booking.deleted');
		expect(told.map(({ data }) => data.id).sort()).toEqual(foreign.map(({ id }) => id).sort());
	});
});
