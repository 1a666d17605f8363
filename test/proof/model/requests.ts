import type { Asked } from '../history.ts';
import type { Random } from '../random.ts';
import type { ModelStore } from './store.ts';

const NOTHING = {
	create: 0,
	confirm: 0,
	cancel: 0,
	'take back': 0,
	move: 0,
	customer: 0,
	delete: 0,
	maximum: 0,
	close: 0,
};
const CUSTOMERS = ['ada@example.com', 'bob@example.com', 'eve@example.com'];

/** What clients ask for, and how often. */
export interface Profile {
	/** Relative frequency of each kind of request */
	weights: Record<
		'create' | 'confirm' | 'cancel' | 'take back' | 'move' | 'customer' | 'delete' | 'maximum' | 'close',
		number
	>;
	/** Probability that a request is about the first slot, which stays; the second one's service may be deleted */
	first: number;
	/** Probability that a creation has a key */
	keyed: number;
	/** 1 or 2 */
	dates: number;
}

const everything: Profile = {
	weights: {
		create: 10,
		confirm: 1,
		cancel: 3,
		'take back': 3,
		move: 3,
		customer: 2,
		delete: 2,
		maximum: 3,
		close: 0.15,
	},
	first: 0.7,
	keyed: 0.4,
	dates: 2,
};

/** Each puts weight on what one of the rules decides. */
export const profiles = {
	everything,
	seats: {
		weights: {
			create: 10,
			confirm: 0,
			cancel: 3,
			'take back': 2,
			move: 0,
			customer: 0,
			delete: 5,
			maximum: 3,
			close: 0,
		},
		first: 1,
		keyed: 0,
		dates: 1,
	},
	closing: { ...everything, weights: { ...everything.weights, close: 0.6 }, first: 0.3 },
} as const satisfies Record<string, Profile>;
export type ProfileName = keyof typeof profiles;

/** What a client of the model asks for next: everything that touches a place. */
export function chooseRequest(random: Random, store: ModelStore, allDates: readonly string[], profile: Profile): Asked {
	const ids = [...store.documents.keys()];
	const dates = allDates.slice(0, profile.dates);
	const { create, maximum, close } = profile.weights;
	const kind = random.weighted(
		ids.length > 0 ? profile.weights : { ...profile.weights, ...NOTHING, create, maximum, close },
	);
	const booking_id = random.pick(ids);
	const note = `note ${random.index(1_000_000)}`;
	switch (kind) {
		case 'create':
			return random.chance(0.4)
				? { kind, ...underKey(random.index(8), store, dates) }
				: { kind, body: newBooking(random, store, dates, profile) };
		case 'confirm':
			return { kind: 'update', booking_id, body: { status: 'confirmed', message: note } };
		case 'cancel':
			return { kind: 'update', booking_id, body: { status: 'cancelled', cancel_reason: note } };
		case 'take back':
			return { kind: 'update', booking_id, body: { status: 'pending', message: note } };
		case 'move':
			return { kind: 'update', booking_id, body: moveTo(random, store, random.pick(dates), profile) };
		case 'customer':
			return { kind: 'update customer', booking_id, body: { email: random.pick([...CUSTOMERS, null]), name: note } };
		case 'delete':
			return { kind, booking_id };
		case 'maximum':
			return {
				kind: 'update slots',
				body: { time_slots: [{ id: slotOf(random, store, profile), max_bookings: random.index(6) }] },
			};
		case 'close':
			return { kind: 'delete service', service_id: 2 };
	}
}

function moveTo(random: Random, store: ModelStore, date: string, profile: Profile) {
	return random.chance(0.5) ? { date } : { date, time_slot_id: slotOf(random, store, profile) };
}

function newBooking(random: Random, store: ModelStore, dates: readonly string[], profile: Profile) {
	const customer_email = random.chance(0.3) ? random.pick(CUSTOMERS) : null;
	const hold_minutes = random.chance(0.4) ? 1 : null;
	return {
		time_slot_id: slotOf(random, store, profile),
		date: random.pick(dates),
		customer_email,
		hold_minutes,
		message: 'new',
	};
}

function slotOf(random: Random, store: ModelStore, profile: Profile): number {
	const [first, ...others] = store.slots.keys();
	return random.chance(profile.first) ? first! : random.pick(others);
}

/** A few keys, so that several requests carry one; each has its own request. */
function underKey(number: number, store: ModelStore, dates: readonly string[]) {
	const slots = [...store.slots.keys()];
	const body = {
		time_slot_id: slots[number % slots.length]!,
		date: dates[(number >> 1) % dates.length]!,
		customer_email: CUSTOMERS[number % 4] ?? null,
		message: `under key ${number}`,
	};
	return { body, key: `key ${number}` };
}
