import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Fold } from '../../services/booking/changes/fold.ts';
import type { PromisedBooking } from '../../services/booking/document/booking.model.ts';
import type { BookingStore } from '../../services/booking/document/booking-store.ts';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import { Deadline } from '../../shared/work/deadline.ts';
import { until } from '../support/until.ts';
import { ACCOUNT, MONDAY, NEXT_MONDAY, onBothStores, World } from './engines.ts';

const [OWN, TAKEN, FREE] = ['own@example.com', 'taken@example.com', 'free@example.com'];

/** A change of the booking: a PATCH of it, of its customer, or its deletion. */
type Step =
	| { kind: 'update'; body: Record<string, unknown>; if_match?: number }
	| { kind: 'updateCustomer'; body: Record<string, unknown>; if_match?: number }
	| { kind: 'delete' };

onBothStores('X3: each step of a folded change obeys every rule alone, at its moment', (form) => {
	let world: World;

	beforeAll(async () => {
		world = await World.start(form, 1);
	});
	afterAll(() => world.stop());

	/** A booking beside one that holds another address, on a slot that is full a week later. */
	async function stage(): Promise<number> {
		const slot = world.addSlot(2);
		const book = async (date: string, customer_email?: string) => {
			const body = { date, time_slot_id: slot.id, ...(customer_email && { customer_email }) };
			return (await world.engines[0]!.call('create', { body })).data.id;
		};
		await book(MONDAY, TAKEN);
		await book(NEXT_MONDAY);
		await book(NEXT_MONDAY);
		return book(MONDAY, OWN);
	}

	async function take(id: number, step: Step): Promise<string> {
		const { call } = world.engines[0]!;
		const key = { booking_id: id };
		const told = (version: number) => `ok ${version}`;
		try {
			if (step.kind === 'delete') return told((await call('delete', key)).length);
			const request = { ...key, body: step.body, ...(step.if_match && { if_match: [step.if_match] }) };
			return told((await call(step.kind, request)).version);
		} catch (error) {
			return (error as Error).message.replace(/time slot \d+/, 'time slot');
		}
	}

	const stored = (_id: number) => world.bookings.findOne({ account_id: ACCOUNT, _id }).lean();
	const untilDelivered = (id: number) =>
		until(async () => ((await stored(id))?.relay_at ?? 1) <= 0, { what: 'the delivery' });

	/** What was answered, what is left, and every event, whichever booking it is. */
	async function result(id: number, answers: string[]) {
		await untilDelivered(id);
		const after = await stored(id);
		const events = () => world.events.filter(({ data }) => data.id === id).sort(byVersion);
		await until(() => events().length === after?.version, { what: 'all events' });
		const { version, status, message, cancel_reason, customer } = after!;
		return {
			answers,
			booking: { version, status, message, cancel_reason, email: customer.email, deleted: after!.deleted_at !== null },
			events: events().map(({ type, data }) => [type, data.version, data.status, data.message, data.customer.email]),
		};
	}
	const byVersion = (a: { data: Booking }, b: { data: Booking }) => a.data.version - b.data.version;

	const together = async (id: number, steps: Step[]) =>
		result(id, await Promise.all(steps.map((step) => take(id, step))));

	async function oneByOne(id: number, steps: Step[]) {
		const answers: string[] = [];
		for (const step of steps) answers.push(await take(id, step));
		return result(id, answers);
	}

	test.each([
		['the address it had', { kind: 'updateCustomer', body: { email: OWN } }],
		['a third address', { kind: 'updateCustomer', body: { email: FREE } }],
		['a cancelling', { kind: 'update', body: { status: 'cancelled', cancel_reason: 'ill' } }],
	] as [string, Step][])(
		'When another’s address is followed by %s in one moment, then it is a duplicate',
		async (_, last) => {
			const id = await stage();
			const steps: Step[] = [
				{ kind: 'update', body: { message: 'first' } },
				{ kind: 'updateCustomer', body: { email: TAKEN } },
				last,
			];
			const { answers, events } = await together(id, steps);
			expect(answers).toEqual(['ok 2', 'duplicate booking', 'ok 3'].slice(0, 2).concat(answers[2]!));
			expect(answers[2]).toMatch(/^ok/);
			expect(events.map((event) => event.at(-1))).not.toContain(TAKEN);
		},
	);

	test('When changes share a write, then the store has an event of each, for a process that dies before it has told of them', async () => {
		const id = await stage();
		await untilDelivered(id);
		world.logIsDown = true;
		try {
			const answers = await Promise.all(
				['first', 'second', 'third'].map((message) => take(id, { kind: 'update', body: { message } })),
			);
			expect(answers).toEqual(['ok 2', 'ok 3', 'ok 4']);
			const { outbox } = (await stored(id))!;
			expect(outbox.map(({ data }) => [data?.version, data?.message])).toEqual([
				[2, 'first'],
				[3, 'second'],
				[4, 'third'],
			]);
		} finally {
			world.logIsDown = false;
		}
	});

	test('When a change that alters nothing stands before a duplicate address, then it is not told of the duplicate', async () => {
		const id = await stage();
		const steps: Step[] = [
			{ kind: 'update', body: { message: 'first' } },
			{ kind: 'update', body: { message: 'first' } },
			{ kind: 'update', body: { status: 'pending' } },
			{ kind: 'updateCustomer', body: { email: TAKEN } },
		];
		const { answers } = await together(id, steps);
		expect(answers).toEqual(['ok 2', 'ok 2', 'ok 2', 'duplicate booking']);
	});

	test('When one of several changes is late, then it is told so, and the others are made without it', async () => {
		const id = await stage();
		const booking = await world.bookings.findOne({ account_id: ACCOUNT, _id: id }).lean<PromisedBooking>();
		const fold = new Fold({ booking: booking!, slots: new Map() }, Date.now());
		const answers = [60_000, -1, 60_000].map((ms, index) => {
			const { promise, resolve, reject } = Promise.withResolvers<PromisedBooking>();
			const plan = () => ({ set: { message: `change ${index}` }, event: 'booking.updated' as const });
			const request = { account_id: ACCOUNT, booking_id: id };
			fold.add({ request, span: undefined, deadline: new Deadline(ms), plan, resolve, reject });
			return promise.then(
				({ message }) => message,
				({ type }: { type: string }) => type,
			);
		});
		const store = {
			async update() {
				Deadline.current()?.assertTimeLeft(); // as the store does it, before it sends anything
				return 'written';
			},
		} as unknown as BookingStore;
		expect(await fold.write(store)).toBe('written');
		fold.complete();
		expect(await Promise.all(answers)).toEqual(['change 0', 'gateway_timeout', 'change 2']);
	});

	test('When changes of one booking come at once, then they are answered as one after the other', async () => {
		const condition = { if_match: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined, freq: 4 }) };
		const update = (body: Record<string, unknown>) =>
			fc.record(
				{ kind: fc.constant('update' as const), body: fc.constant(body), ...condition },
				{ requiredKeys: ['kind', 'body'] },
			);
		const address = (email: string | null) =>
			fc.record(
				{ kind: fc.constant('updateCustomer' as const), body: fc.constant({ email }), ...condition },
				{ requiredKeys: ['kind', 'body'] },
			);
		const step = fc.oneof(
			...[OWN, TAKEN, FREE, null].map(address),
			...['a', 'b'].map((message) => update({ message })),
			...['pending', 'confirmed'].map((status) => update({ status })),
			update({ status: 'cancelled', cancel_reason: 'ill' }),
			update({ cancel_reason: 'another' }),
			...[1, 3].map((version) => update({ message: 'expected', version })),
			...[MONDAY, NEXT_MONDAY, '2026-11-24'].map((date) => update({ date })),
			{ arbitrary: fc.constant<Step>({ kind: 'delete' }), weight: 1 },
		) as fc.Arbitrary<Step>;
		const property = fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 8 }), async (steps) => {
			const ids = [await stage(), await stage()] as const;
			expect(await together(ids[0], steps)).toEqual(await oneByOne(ids[1], steps));
		});
		await fc.assert(property, { numRuns: Number(process.env.FOLD_RUNS ?? 20) });
	});
});
