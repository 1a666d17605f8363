import { expect, test } from '@jest/globals';
import type { Booking, BookingList } from '../../shared/contract/schemas/booking.ts';
import { dateOn } from '../support/calendar.ts';
import { book, newCustomer, slotOn } from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';

/** Bookings, of which `HOT` go on changing while they are mirrored */
const [MANY, HOT] = [300, 100];
const PAGE = 60;
/** ms by which each page begins before the last row of the one before: what was written at the same time may be seen later */
const OVERLAP = 300;
const ROUNDS = 6;
/** Before everything */
const EVER = '2020-01-01T00:00:00.000Z';

test('B7: When bookings change while a client mirrors them by updated_since, then it ends with what each of them is', async () => {
	const client = newAccount();
	const place = await slotOn(client, { max_bookings: MANY });
	const service_id = place.service.id;
	const ids: number[] = [];
	for (let at = 0; at < MANY; at += 20) {
		const some = Array.from({ length: 20 }, () => book(client, { ...place, date: dateOn(1) }, newCustomer()));
		ids.push(...(await Promise.all(some)).map(({ id }) => id));
	}
	const page = async (updated_since: string, page = 1) => {
		const query = { service_id, updated_since, sort: 'updated_at', page, page_size: PAGE };
		return (await client.get<BookingList>('/v1/bookings', { query })).mustBe(200).bookings;
	};
	for (let round = 0; round < ROUNDS; round++) {
		let isChanging = true;
		const change = async (id: number) => {
			for (let n = 0; isChanging; n++) (await client.patch(`/v1/bookings/${id}`, { message: `${n}` })).mustBe(200);
		};
		const writers = ids
			.slice(round * 30, round * 30 + HOT)
			.filter((_, at) => at % 12 === 0)
			.map(change);
		const mirror = new Map<number, Booking>();
		let since = EVER;
		const step = async () => {
			const rows = await page(since);
			const moments = rows.map(({ updated_at }) => updated_at);
			expect(moments).toEqual(moments.toSorted());
			for (const row of rows) mirror.set(row.id, row);
			const last = moments.at(-1) ?? since;
			const before = new Date(Date.parse(last) - OVERLAP).toISOString();
			since = before > since ? before : last;
			return rows.length === PAGE;
		};
		for (let at = 0; at < 12; at++) await step();
		isChanging = false;
		await Promise.all(writers);
		while (await step());
		const there: Booking[] = [];
		for (let number = 1; there.length < MANY; number++) there.push(...(await page(EVER, number)));
		const versions = (rows: Iterable<Booking>) => [...rows].map(({ id, version }) => `${id}: ${version}`).sort();
		expect(versions(mirror.values())).toEqual(versions(there));
	}
});
