import { afterEach, expect, test } from '@jest/globals';
import type { BookingDocument } from '../../services/booking/document/booking.model.ts';
import { TOMBSTONE } from '../../services/booking/document/states.ts';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import type { TimeSlot } from '../../shared/contract/schemas/time-slot.ts';
import { until } from '../support/until.ts';
import { afterwards, counted } from './afterwards.ts';
import { ACCOUNT, MONDAY, onBothStores, outcome, World } from './engines.ts';

const HOUR = 3_600_000;
const FULL = 'time slot is full';

onBothStores('ADR 6: a place of a deleted service is taken until the log has the deletion', (form) => {
	let world: World;
	afterEach(() => world.stop());

	const create = async (slot: TimeSlot, engine = 0): Promise<Booking> => {
		const body = { date: MONDAY, time_slot_id: slot.id };
		return (await world.engines[engine]!.call('create', { body })).data;
	};
	/** The world's slots stay where they are: whoever asks for one is as if it had read it before the deletion. */
	const close = (slot: TimeSlot, engine = 1) =>
		world.engines[engine]!.call('closeService', { service_id: slot.service_id, slots: [slot], timezone: 'UTC' });
	const moveTo = ({ id, service_id }: TimeSlot, booking_id: number) =>
		world.engines[0]!.call('update', { booking_id, body: { time_slot_id: id, service_id } as never });
	const stored = async (_id: number) =>
		(await world.bookings.findOne({ _id, account_id: ACCOUNT }).lean<BookingDocument>())!;
	const toldOf = (count: number) => until(() => world.events.length === count, { what: `${count} events` });
	/** A service with one place, which is taken and told of, is deleted while the log is away. */
	const closedUntold = async () => {
		world = await World.start(form, 2);
		const slot = world.addSlot(1);
		const { id } = await create(slot);
		await toldOf(1);
		world.logIsDown = true;
		await close(slot);
		return { slot, id };
	};

	/** Tells of all that waits, a booking at a time, the newest first. */
	async function tellNewestFirst(): Promise<void> {
		const { sweeper } = await afterwards(world);
		const ids = (await world.bookings.find({ account_id: ACCOUNT }).sort({ _id: -1 }).lean()).map(({ _id }) => _id);
		for (const id of ids) await sweeper.deliverNow({ ids: [id] });
	}

	async function faults(): Promise<string[]> {
		const pages = [{ booking: 0 }, { place: '' }].map((after) => world.engines[0]!.call('audit', { after } as never));
		return (await Promise.all(pages)).flatMap(({ findings }) =>
			findings.map(({ kind, detail }) => `${kind}: ${detail}`),
		);
	}

	test('When a service is deleted whose places are taken, and one is asked for before that is told, then it is full', async () => {
		world = await World.start(form, 2);
		const [slot, other] = [world.addSlot(1), world.addSlot(1)];
		const [, mover] = [await create(slot), await create(other)];
		await toldOf(2);
		world.logIsDown = true;
		await close(slot);
		const answers = [await outcome(create(slot)), await outcome(moveTo(slot, mover.id))];
		await tellNewestFirst();
		expect(counted(world)).toEqual([]);
		expect(answers).toEqual([FULL, FULL]);
	});

	test('When the process that deletes a service has a clock that is ahead, then a sweep tells of no place taken twice', async () => {
		world = await World.start(form, 2);
		world.aheadOf.push(0, HOUR);
		const slot = world.addSlot(2);
		await Promise.all([create(slot), create(slot)]);
		await toldOf(2);
		world.logIsDown = true;
		await close(slot);
		await Promise.all([outcome(create(slot)), outcome(create(slot))]);
		const { sweeper } = await afterwards(world);
		await sweeper.deliverNow({ account_id: ACCOUNT });
		expect(counted(world)).toEqual([]);
	});

	test('When a place of a deleted service really was free, then one gets it, goes with the service, and both are told of', async () => {
		world = await World.start(form, 2);
		const slot = world.addSlot(2);
		await create(slot);
		await toldOf(1);
		world.logIsDown = true;
		await close(slot);
		const answers = await Promise.all([outcome(create(slot)), outcome(create(slot))]);
		await tellNewestFirst();
		expect(counted(world)).toEqual([]);
		expect(answers.toSorted()).toEqual(['ok', FULL]);
		expect(world.events.map(({ type }) => type).toSorted()).toEqual([
			...['booking.created', 'booking.created', 'booking.deleted', 'booking.deleted'],
		]);
	});

	test('When the deletion is told, then the place is free, and the audit finds nothing before and after', async () => {
		const { slot, id } = await closedUntold();
		const { seat, customer_key } = await stored(id);
		const held = { place: `${slot.id}:${MONDAY}`, counted_under: slot.service_id, listed_under: 0 };
		expect(await stored(id)).toMatchObject({ ...held, deleted_at: expect.any(String) });
		expect(await faults()).toEqual([]);
		world.logIsDown = false;
		await until(async () => (await stored(id)).relay_at === TOMBSTONE);
		expect(await stored(id)).toMatchObject({ place: '', counted_under: 0, seat, customer_key });
		expect(await faults()).toEqual([]);
	});

	test('When a tombstone of an earlier version has given up its place and is not told of yet, then the audit finds nothing', async () => {
		const { id } = await closedUntold();
		await world.bookings.updateOne({ _id: id, account_id: ACCOUNT }, { $set: { place: '', counted_under: 0 } });
		expect(await faults()).toEqual([]);
		world.logIsDown = false;
		await until(async () => (await stored(id)).relay_at === TOMBSTONE);
		expect(await faults()).toEqual([]);
	});

	test('When a tombstone keeps its place though its deletion is told, or another one, then the audit finds it, and frees it', async () => {
		world = await World.start(form, 2);
		const [slot, other] = [world.addSlot(1), world.addSlot(1)];
		const [kept, strayed] = [await create(slot), await create(other)];
		await toldOf(2);
		await close(slot);
		await until(async () => (await stored(kept.id)).relay_at === TOMBSTONE);
		world.logIsDown = true;
		await close(other);
		const plant = (_id: number, $set: Partial<BookingDocument>) =>
			world.bookings.updateOne({ _id, account_id: ACCOUNT }, { $set });
		await plant(kept.id, { place: `${slot.id}:${MONDAY}`, counted_under: slot.service_id });
		await plant(strayed.id, { place: `${slot.id}:2026-11-30` });
		expect((await faults()).toSorted()).toEqual([
			'holds_after_end: deleted, and still holds: place',
			'holds_after_end: deleted, and still holds: place, counted_under',
		]);
		await world.engines[0]!.call('audit', { after: { booking: 0 }, repair: true } as never);
		expect(await faults()).toEqual([]);
		expect(await stored(kept.id)).toMatchObject({ place: '', counted_under: 0 });
	});
});
