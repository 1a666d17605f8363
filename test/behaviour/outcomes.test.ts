import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import { expectOutcomes } from '../proof/outcomes.ts';
import type { AskedChange, Client } from '../support/http-client.ts';
import { book, getBooking, newCustomer, slotOn } from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';

/** What a client was told is told otherwise afterwards, as a product with a hole would have told it. */
describe('X2: the oracle of the fault tests', () => {
	let client: Client;
	let booking: Booking;
	let place: Awaited<ReturnType<typeof slotOn>>;
	beforeEach(async () => {
		client = newAccount();
		place = await slotOn(client, { max_bookings: 10 });
		booking = await book(client, place, newCustomer());
	});
	const patch = (body: Record<string, unknown>) => client.patch(`/v1/bookings/${booking.id}`, body);
	const retell = (lie: Partial<AskedChange>) => Object.assign(client.asked.at(-1)!, lie);
	const refuted = () => expect(expectOutcomes(client, 1_500)).rejects.toThrow(/toEqual/);

	test('When everything was told as it was, then it holds', async () => {
		await patch({ message: 'one' });
		await patch({ date: '2020-02-30' });
		await client.patch(`/v1/bookings/${booking.id}/customer`, { name: 'Somebody' });
		await client.patch(`/v1/services/${place.service.id}`, { name: 'Two' });
		const other = await book(client, place, newCustomer());
		await client.delete(`/v1/bookings/${other.id}`);
		await client.delete(`/v1/bookings/${other.id}`);
		await client.post('/v1/webhooks', { url: 'http://127.0.0.1:9/', events: ['booking.deleted'] });
		await client.delete('/v1/webhooks/1');
		await expectOutcomes(client);
		expect((await getBooking(client, booking.id)).version).toBe(3);
	});

	test.each([
		['a change was made and refused', () => patch({ status: 'confirmed' }), { status: 412, data: undefined }],
		['a text was made and refused', () => patch({ message: 'refused' }), { status: 409, data: undefined }],
		['a change was acknowledged and is not there', () => patch({ date: 'x' }), { status: 200, version: 2 }],
		['a creation was refused and made', () => book(client, place), { status: 400, data: undefined }],
		[
			'a creation was acknowledged and is not there',
			() => client.post('/v1/bookings', {}),
			{ status: 201, data: { id: 999_999, version: 1 } },
		],
		['a deletion was refused and made', () => client.delete(`/v1/bookings/${booking.id}`), { status: 404 }],
		[
			'a deletion was acknowledged and not made',
			() => client.delete(`/v1/bookings/${booking.id}?x=1`),
			{ status: 200, path: 'booking' },
		],
		['a service was made and refused', () => slotOn(client), { status: 422, data: undefined }],
		[
			'a service was changed and that was refused',
			() => client.patch(`/v1/services/${place.service.id}`, { name: 'Other' }),
			{ status: 412, data: undefined },
		],
	] as [string, () => Promise<unknown>, Partial<AskedChange>][])('When %s, then it fails', async (_, act, lie) => {
		await act();
		retell(lie.path === 'booking' ? { ...lie, path: `/v1/bookings/${booking.id}` } : lie);
		await refuted();
	});

	test('When nobody was told whether a change was made, then it may have been, once', async () => {
		await patch({ message: 'perhaps' });
		retell({ status: 504, data: undefined });
		await expectOutcomes(client);
		await patch({ message: 'never' });
		retell({ status: undefined, data: undefined, message: 'x' });
		await expectOutcomes(client);
	});
});
