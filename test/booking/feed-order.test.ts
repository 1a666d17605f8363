import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, jest, test } from '@jest/globals';
import { UntoldGivers } from '../../services/booking/document/untold-givers.ts';
import type { Delivery } from '../../services/booking/outbox/relay.ts';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import type { TimeSlot } from '../../shared/contract/schemas/time-slot.ts';
import { until } from '../support/until.ts';
import { afterwards, counted } from './afterwards.ts';
import { ACCOUNT, MONDAY, onBothStores, outcome, World } from './engines.ts';

const HOUR = 3_600_000;
/** ms; the sweep takes an event of a second ago for left behind, and looks every half a second */
const [NOT_YET, SWEPT] = [700, 1_500];

onBothStores('ADR 52: whoever replays the feed never counts one too many', (form) => {
	let world: World;
	afterEach(async () => {
		jest.restoreAllMocks();
		await world.stop();
	});

	const create = async (slot: TimeSlot, body: Record<string, unknown> = {}, engine = 0): Promise<Booking> =>
		(await world.engines[engine]!.call('create', { body: { date: MONDAY, time_slot_id: slot.id, ...body } })).data;
	const update = (booking_id: number, body: Record<string, unknown>, engine = 0) =>
		world.engines[engine]!.call('update', { booking_id, body });
	const cancelled = { status: 'cancelled', cancel_reason: 'x' } as const;
	const toldOf = (count: number) => until(() => world.events.length === count, { what: `${count} events` });

	/** Bookings come, move, go and come back, 250 times, in four slots for one. @returns how many changes were made */
	const changeAtRandom = async (): Promise<number> => {
		const slots = [1, 2, 3, 4].map(() => world.addSlot(1));
		const emails = ['a@example.com', 'b@example.com', 'c@example.com', null];
		const pick = <T>(from: readonly T[]): T => from[Math.floor(Math.random() * from.length)]!;
		const engine = () => Math.floor(Math.random() * world.engines.length);
		let changes = 0;
		let living: number[] = [];
		const count = (word: string) => void (word === 'ok' && changes++);
		for (let step = 0; step < 250; step++) {
			if (form === 'embedded' && step % 50 === 49) world.ahead = pick([0, HOUR, -HOUR]);
			if (living.length < 7 && (living.length === 0 || Math.random() < 0.4)) {
				const made = create(pick(slots), { customer_email: pick(emails), customer_name: 'A' }, engine());
				count(await outcome(made.then(({ id }) => living.push(id))));
				continue;
			}
			const id = pick(living);
			const change = pick(['cancel', 'back', 'move', 'move', 'customer', 'delete'] as const);
			const version = async () =>
				(await world.bookings.findOne({ account_id: 'acc_test', _id: id }).lean())?.version ?? 0;
			const before = await version();
			if (change === 'delete') {
				await world.engines[engine()]!.call('delete', { booking_id: id });
				living = living.filter((one) => one !== id);
			} else if (change === 'customer') {
				await outcome(
					world.engines[engine()]!.call('updateCustomer', { booking_id: id, body: { email: pick(emails) } }),
				);
			} else {
				const body = {
					cancel: cancelled,
					back: { status: 'pending' as const },
					move: { time_slot_id: pick(slots).id },
				};
				await outcome(update(id, body[change], engine()));
			}
			if ((await version()) > before) changes++;
		}
		return changes;
	};

	test('When the log was away, and clocks are an hour apart, then what many did meanwhile is told in an order that happened', async () => {
		world = await World.start(form, form === 'cluster' ? 3 : 1);
		if (form === 'cluster') world.aheadOf.push(0, HOUR, -HOUR);
		world.logIsDown = true;
		const changes = await changeAtRandom();
		expect(changes).toBeGreaterThan(40);
		world.logIsDown = false;
		await toldOf(changes);
		expect(counted(world)).toEqual([]);
	});

	test('When more hangs together than is read at once, then it is told in parts, in an order that happened', async () => {
		world = await World.start(form, form === 'cluster' ? 2 : 1);
		world.logIsDown = true;
		const changes = await changeAtRandom();
		const { relay, sweeper } = await afterwards(world, { mostBefore: 2 });
		const delivered = jest.spyOn(relay, 'deliver');
		const ids = (await world.bookings.find({ account_id: ACCOUNT }).lean()).map(({ _id }) => _id);
		for (const id of ids.toSorted(() => Math.random() - 0.5)) {
			await sweeper.deliverNow({ ids: [id] });
			expect(counted(world)).toEqual([]);
		}
		expect(world.events).toHaveLength(changes);
		const deliveries = await Promise.all(delivered.mock.results.map(({ value }) => value as Promise<Delivery>));
		expect(deliveries.filter(({ first }) => first.length > 0).length).toBeGreaterThan(0);
		expect(deliveries.filter(({ told, waiting }) => told > 0 && waiting > 0).length).toBeGreaterThan(0);
	});

	test('When the sweep tells of a booking whose earlier event was left behind, then what it took a moment ago is told to be given up first', async () => {
		world = await World.start(form, 1);
		const [here, there] = [world.addSlot(1), world.addSlot(1)];
		const first = await create(here);
		await toldOf(1);
		const gate = Promise.withResolvers<void>();
		world.slowLog = gate.promise;
		const second = await create(there);
		await delay(NOT_YET);
		await update(first.id, cancelled);
		await update(second.id, { time_slot_id: here.id });
		await delay(SWEPT);
		world.slowLog = undefined;
		gate.resolve();
		await toldOf(4);
		expect(counted(world)).toEqual([]);
	});

	test('When a process ends that had not told yet that one booking gave up two places, then who takes one after the next start is told of behind it', async () => {
		world = await World.start(form, 1);
		const [here, there] = [world.addSlot(1), world.addSlot(1)];
		const first = await create(here);
		await toldOf(1);
		world.logIsDown = true;
		await update(first.id, { time_slot_id: there.id });
		await update(first.id, cancelled);
		await world.restart(0);
		const refused = world.appends;
		await until(() => world.appends > refused, { what: 'the sweep of the start' });
		world.logIsDown = false;
		await create(here);
		await toldOf(4);
		expect(counted(world)).toEqual([]);
	});

	test('When a booking that is told of first takes a place whose taker is told of already, then that one is told to give it up first', async () => {
		world = await World.start(form, form === 'cluster' ? 2 : 1);
		const other = world.engines.length - 1;
		const [one, two, three] = [world.addSlot(1), world.addSlot(1), world.addSlot(1)];
		const giver = await create(one, {}, other);
		await toldOf(1);
		await delay(SWEPT); // the sweeps of the start are over
		world.logIsDown = true;
		await update(giver.id, { time_slot_id: three.id }, other);
		await until(() => world.appends > 1, { what: 'the refusal' });
		world.logIsDown = false;
		const busy = Promise.withResolvers<void>();
		world.slowLog = busy.promise;
		await create(world.addSlot(1));
		await delay(50);
		const [held, read] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
		const { find } = UntoldGivers.prototype;
		let areAsked = false;
		jest.spyOn(UntoldGivers.prototype, 'find').mockImplementation(async function (this: UntoldGivers, keys) {
			const [ofOne, ofTwo, ofThree] = [one, two, three].map(({ id }) => keys.some((key) => key.startsWith(`${id}:`)));
			if (areAsked && ofThree) {
				areAsked = false;
				read.resolve();
				await held.promise;
			}
			if (ofOne && ofTwo) areAsked = true;
			return find.call(this, keys);
		});
		const [taker] = await Promise.all([create(two), create(one)]); // they leave together
		world.slowLog = undefined;
		busy.resolve();
		await read.promise; // the places of both were asked for, and now what their giver took
		await update(taker.id, cancelled);
		await update(giver.id, { time_slot_id: two.id }, other);
		held.resolve();
		await toldOf(7);
		expect(counted(world)).toEqual([]);
	});

	test('When a booking moved into a service that was closed, then whoever takes its place is told of behind it', async () => {
		world = await World.start(form, 1);
		const [here, there] = [world.addSlot(1), world.addSlot(1)];
		const first = await create(here);
		await toldOf(1);
		const closing = { service_id: there.service_id, slots: [there], timezone: 'UTC' };
		await world.engines[0]!.call('closeService', closing);
		await outcome(update(first.id, { time_slot_id: there.id, service_id: there.service_id } as never));
		await create(here);
		await toldOf(4);
		expect(world.events.map(({ type }) => type).filter((type) => type === 'booking.deleted')).toHaveLength(1);
		expect(counted(world)).toEqual([]);
	});
});
