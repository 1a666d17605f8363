import { setTimeout as delay } from 'node:timers/promises';
import type { CreateBooking } from '../../../shared/contract/schemas/booking.ts';
import type { TimeSlot } from '../../../shared/contract/schemas/time-slot.ts';
import type { Asked } from '../history.ts';
import type { AccountWorld } from './account-world.ts';
import type { Step } from './plan.ts';

/** Does what a plan says, with the slots and bookings that are known now. Resolves when the client knows what came of it. */
export async function take(
	step: Step,
	client: number,
	world: AccountWorld,
	neighbour: AccountWorld | undefined,
): Promise<void> {
	const { api } = world;
	const slot = world.slot(step.slot);
	if (slot === undefined) return;
	const booking_id = world.booking(step.booking);
	const { service_id } = slot;
	const update = (asked: Asked) => (booking_id === undefined ? undefined : api.ask(client, asked));
	const change = (body: Extract<Asked, { kind: 'update' }>['body']) =>
		update({ kind: 'update', booking_id: booking_id!, body });
	switch (step.action) {
		case 'create':
			return create(step, client, world, 1);
		case 'create twice at once':
			return create({ ...step, keyed: true }, client, world, 2);
		case 'create again': {
			const asked = world.keyed[Math.floor(step.booking * world.keyed.length)];
			if (asked) await api.ask(client, asked);
			return;
		}
		case 'confirm':
			return void (await change({ status: 'confirmed' }));
		case 'cancel':
			return void (await change({ status: 'cancelled', cancel_reason: step.text }));
		case 'take back':
			return void (await change({ status: 'pending', message: step.text }));
		case 'move':
			return void (await change({
				date: world.date(step.week),
				...(step.anonymous ? { time_slot_id: slot.id } : {}),
			}));
		case 'note':
			return void (await change({ message: step.text }));
		case 'customer': {
			const email = step.regular === null ? null : regular(step.regular);
			return void (await update({
				kind: 'update customer',
				booking_id: booking_id!,
				body: { email, name: step.text },
			}));
		}
		case 'delete': {
			const told = await update({ kind: 'delete', booking_id: booking_id! });
			if (told && (told.outcome === 'ok' || told.status === 404)) world.forget(booking_id!);
			return;
		}
		case 'get':
			return void (await update({ kind: 'get', booking_id: booking_id! }));
		case 'list':
			return void (await api.ask(client, { kind: 'list', service_id, page_size: 1000 }));
		case 'availability':
			return void (await api.ask(client, {
				kind: 'availability',
				service_id,
				from: world.date(0),
				to: world.date(1),
			}));
		case 'feed':
			return void (await api.ask(client, { kind: 'events', after: Math.floor(step.booking * 50) }));
		case 'slots':
			return void (await api.ask(client, { kind: 'list slots', service_id }));
		case 'trespass':
			return neighbour && trespass(step, client, world, neighbour);
		case 'maximum':
			return setMaximum(client, world, slot, step);
		case 'replace service':
			return world.replaceService(1 + step.max);
	}
}

type Tried = Extract<Asked, { kind: 'trespass' }>['tried'];

/** Asks for what is another account's, mostly for the seats that its clients want just now. */
async function trespass(step: Step, client: number, { api }: AccountWorld, victim: AccountWorld): Promise<void> {
	const slot = victim.slot(step.slot);
	if (slot === undefined) return;
	const booking_id = victim.booking(step.booking);
	const create: Tried = {
		kind: 'create',
		body: { time_slot_id: slot.id, date: victim.date(step.week), message: step.text },
	};
	const others: Tried[] = [
		{ kind: 'update slots', body: { time_slots: [{ id: slot.id, max_bookings: step.max }] } },
		{ kind: 'list', service_id: slot.service_id, page_size: 10 },
		{ kind: 'availability', service_id: slot.service_id, from: victim.date(0), to: victim.date(1) },
		{ kind: 'delete service', service_id: slot.service_id },
	];
	const changes: Tried[] =
		booking_id === undefined
			? []
			: [
					{ kind: 'update', booking_id, body: { date: victim.date(step.week) } },
					{ kind: 'update', booking_id, body: { status: 'cancelled', cancel_reason: step.text } },
					{ kind: 'update customer', booking_id, body: { name: step.text } },
					{ kind: 'delete', booking_id },
					{ kind: 'get', booking_id },
				];
	const all = [...others, ...changes];
	const tried = step.anonymous ? create : all[Math.floor(step.booking * all.length)]!;
	await api.ask(client, { kind: 'trespass', on: victim.api.account, tried });
}

function regular(number: number): string {
	return `regular-${number}@example.com`;
}

/** A creation with a key that gets no answer is sent again, as a good client does. */
async function create(step: Step, client: number, world: AccountWorld, atOnce: number): Promise<void> {
	const { text, keyed } = step;
	const customer =
		step.regular !== null
			? { customer_email: regular(step.regular) }
			: step.anonymous
				? {}
				: { customer_phone: phoneOf(text) };
	const body: CreateBooking = {
		time_slot_id: world.slot(step.slot).id,
		date: world.date(step.week),
		message: text,
		...customer,
		...(step.booking < 0.3 ? { hold_minutes: 1 } : {}),
	};
	const asked: Asked = { kind: 'create', body, ...(keyed ? { key: `key-${text}` } : {}) };
	if (keyed) world.keyed.push(asked);
	if (world.keyed.length > 50) world.keyed.shift();
	await Promise.all(
		Array.from({ length: atOnce }, async () => {
			for (let attempt = 1; attempt <= 3; attempt++) {
				const told = await world.api.ask(client, asked);
				if (attempt === 1 || told.outcome === 'ok') world.learn(told);
				if (!keyed || told.outcome !== 'unknown') return;
				await delay(100 * attempt);
			}
		}),
	);
}

function phoneOf(text: string): string {
	const [client, step] = text.split('.').map(Number);
	return `+49${100_000_000 + client! * 1_000_000 + step!}`;
}

/** Sent again until it is answered, so that the maximum is known; only one client does this. */
async function setMaximum(client: number, world: AccountWorld, slot: TimeSlot, step: Step): Promise<void> {
	const body = { time_slots: [{ id: slot.id, max_bookings: step.max }] };
	const asked: Asked = { kind: 'update slots', body, ...(step.keyed && { service_id: slot.service_id }) };
	for (let attempt = 1; attempt <= 5; attempt++) {
		const told = await world.api.ask(client, asked);
		if (told.outcome !== 'unknown') return;
		await delay(200);
	}
}
