import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { BookingLists } from '../../services/booking/document/booking-lists.ts';
import { PersonBookings } from '../../services/booking/document/person-bookings.ts';
import { type Engine, MONDAY, onBothStores, World } from './engines.ts';

onBothStores('reading over all services of an account', (form) => {
	let world: World;
	let engine: Engine;

	beforeAll(async () => {
		world = await World.start(form, 1);
		engine = world.engines[0]!;
	});
	afterEach(() => {
		jest.restoreAllMocks();
	});
	afterAll(() => world.stop());

	const book = async (email: string): Promise<number> => {
		const body = { time_slot_id: world.addSlot(1).id, date: MONDAY, customer_email: email };
		return (await engine.call('create', { body })).data.id;
	};

	/** Into a service that is new. */
	const move = (booking_id: number) =>
		engine.call('update', { booking_id, body: { time_slot_id: world.addSlot(1).id } });

	/** The booking moves as a reading begins that knows the services already. */
	function moveAt<T extends object>(reads: T, name: string, booking_id: number): void {
		const method = (reads as Record<string, (...given: unknown[]) => unknown>)[name]!;
		jest.spyOn(reads as Record<string, (...given: unknown[]) => unknown>, name).mockImplementationOnce(async function (
			this: unknown,
			...given
		) {
			await move(booking_id);
			return method.apply(this, given);
		});
	}

	test('When a booking moves into a service that was made after the reading began, then lists, their later pieces and what is told of a person have it all the same', async () => {
		const email = 'ann@example.com';
		const id = await book(email);
		const filters = { customer_email: email };
		const page = { offset: 0, limit: 10, piece: 10 };

		moveAt(BookingLists.prototype, 'page', id);
		expect(await engine.call('list', { filters, ...page })).toMatchObject({ ids: [id], total_items: 1 });
		moveAt(BookingLists.prototype, 'total', id);
		expect(await engine.call('list', { filters, ...page })).toMatchObject({ ids: [id], total_items: 1 });
		moveAt(BookingLists.prototype, 'among', id);
		expect(await engine.call('listed', { filters, ids: [id] })).toMatchObject([{ id }]);
		moveAt(PersonBookings.prototype, 'ids', id);
		const person = { kind: 'email', value: email } as const;
		expect(await engine.call('ofPerson', { person, after: 0, limit: 10 })).toEqual([id]);
	});
});
