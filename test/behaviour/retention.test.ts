import { describe, expect, test } from '@jest/globals';
import type { AccountReport } from '../../shared/contract/account-reports.ts';
import type { AuditCursor } from '../../shared/contract/reports.ts';
import type { EventList } from '../../shared/contract/schemas/event.ts';
import { dateOn } from '../support/calendar.ts';
import { expectError } from '../support/expectations.ts';
import { sharedOperator } from '../support/operator.ts';
import { book, bookingBody, getBooking, newCustomer, slotOn } from '../support/scheduling.ts';
import { until } from '../support/until.ts';

const operator = sharedOperator();

/** Some Monday long ago */
const LONG_AGO = '2020-03-16';
const MINUTE = { timeout: 60_000 };

describe('C4: bookings that an account keeps for a time only', () => {
	test('C4: When an account keeps bookings for a time, then older ones go as if they were deleted, and no others', async () => {
		const { id } = await operator.createAccount();
		const { client } = await operator.createKey(id);
		const place = await slotOn(client, { max_bookings: 10 });
		const key = { headers: { 'Idempotency-Key': 'old-one' } };
		const body = bookingBody({ ...place, date: LONG_AGO }, newCustomer());
		const old = (await client.post<{ id: number }>('/v1/bookings', body, key)).mustBe(201);
		const coming = await book(client, place, newCustomer());
		const other = await operator.createKey((await operator.createAccount()).id);
		const elsewhere = await slotOn(other.client);
		const others = await book(other.client, { ...elsewhere, date: LONG_AGO });

		expect(await operator.ask('accounts', 'show', id)).toMatchObject({ account: { retention_days: null } });
		const set = await operator.ask<AccountReport>('accounts', 'set', id, '--retention', '400d');
		expect(set.retention_days).toBe(400);
		await until(async () => (await client.get(`/v1/bookings/${old.id}`)).status === 404, {
			what: 'the removal',
			...MINUTE,
		});
		expectError(await client.delete(`/v1/bookings/${old.id}`), 404, 'booking not found');
		expect(await getBooking(client, coming.id)).toEqual(coming);
		expect((await client.get<{ bookings_count: number }>(`/v1/services/${place.service.id}`)).data.bookings_count).toBe(
			1,
		);
		const deleted = await until(async () => {
			const { events } = (await client.get<EventList>('/v1/events', { query: { after: 0 } })).mustBe(200);
			return events.find(({ type }) => type === 'booking.deleted');
		});
		expect(deleted).toMatchObject({ previous: {}, data: { id: old.id, date: LONG_AGO } });
		expect((await client.post('/v1/bookings', body, key)).mustBe(201)).toEqual(old); // its first answer is kept for a day
		await until(async () => {
			const query = { email: (body as { customer_email: string }).customer_email };
			const { data } = await client.get<{ customers: unknown[] }>('/v1/customers', { query });
			return data.customers.length === 0;
		});
		expect(await getBooking(other.client, others.id)).toEqual(others);

		const log = (await operator.log(id)).filter(({ event }) => event === 'account.changed');
		expect(log.map(({ details }) => details)).toEqual([{ retention_days: { from: null, to: 400 } }]);
		const { code, stdout } = await operator.run('accounts', 'show', id);
		expect([code, stdout]).toEqual([0, expect.stringContaining('bookings are kept for 400 days after their end')]);
		expect((await operator.ask<{ findings: AuditCursor[] }>('audit', String(place.service.id))).findings).toEqual([]);

		await operator.ask('accounts', 'set', id, '--retention', 'none');
		expect(await operator.ask('accounts', 'show', id)).toMatchObject({ account: { retention_days: null } });
		const again = await book(client, { ...place, date: LONG_AGO });
		const canary = await operator.createAccount();
		const watched = await operator.createKey(canary.id);
		const its = await slotOn(watched.client);
		const first = await book(watched.client, { ...its, date: LONG_AGO });
		await operator.ask('accounts', 'set', canary.id, '--retention', '1d');
		await until(async () => (await watched.client.get(`/v1/bookings/${first.id}`)).status === 404, MINUTE);
		expect(await getBooking(client, again.id)).toEqual(again);
	});

	test('C4: When an account is suspended, then what it keeps no longer goes all the same', async () => {
		const { id } = await operator.createAccount();
		const { client } = await operator.createKey(id);
		const place = await slotOn(client, { max_bookings: 10 });
		const old = await book(client, { ...place, date: LONG_AGO });
		const kept = await book(client, { ...place, date: dateOn(1) });
		await operator.ask('accounts', 'suspend', id);
		await operator.ask('accounts', 'set', id, '--retention', '30d');
		await until(async () => (await operator.run('bookings', 'show', id, String(old.id))).code === 2, {
			what: 'the removal',
			...MINUTE,
		});
		expect((await operator.run('bookings', 'show', id, String(kept.id))).code).toBe(0);
	});

	test.each(['0d', '-1d', '400', '1y', '10000d', '1.5d', '24h', ''])(
		'C4: When --retention is %p, then it is refused with one sentence, and nothing changes',
		async (given) => {
			const { id } = await operator.createAccount();
			const { code, stdout, stderr } = await operator.run('accounts', 'set', id, `--retention=${given}`);
			expect([code, stdout]).toEqual([2, '']);
			expect(stderr.trim().split('\n')[0]).toMatch(/^--retention /);
			expect(await operator.ask('accounts', 'show', id)).toMatchObject({ account: { retention_days: null } });
		},
	);
});
