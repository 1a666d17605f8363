import type { EventType } from '../../../shared/contract/schemas/event.ts';
import type { Command } from './commands.ts';

/** What the API must answer: a status, and the error's text or the booking's content. */
export interface Expected {
	status: number;
	error?: string;
	booking?: Content;
}

/** What a booking shows, by the oracle's own names. */
export interface Content {
	slot: number;
	week: number;
	status: 'pending' | 'confirmed' | 'cancelled';
	message: string | null;
	email: string | null;
	version: number;
}

interface First {
	request: string;
	booking: Content;
	number: number;
}

const FULL = { status: 400, error: 'time slot is full' };
const DUPLICATE = { status: 400, error: 'duplicate booking' };
const NOT_FOUND = { status: 404, error: 'booking not found' };

/** The API as interface and contract describe it, for one client at a time: what each command must be answered. */
export class Oracle {
	readonly maxima: number[];
	/** By number in order of creation; undefined once deleted */
	readonly bookings: (Content | undefined)[] = [];
	readonly events: { number: number; type: EventType; version: number }[] = [];
	#isGone = false;
	readonly #firsts = new Map<number, First>();

	constructor(maxima: number[]) {
		this.maxima = [...maxima];
	}

	get isGone(): boolean {
		return this.#isGone;
	}

	/** How many hold a place. */
	active(slot: number, week: number): number {
		return this.#holding(slot, week).length;
	}

	/** @returns what must be answered, or, for a creation that succeeds or is replayed, which booking it shows */
	apply(command: Command): Expected & { shows?: number } {
		switch (command.kind) {
			case 'create':
				return this.#create(command);
			case 'status':
				return this.#change(command.booking, (before) => ({
					...before,
					status: command.status,
					week: command.week ?? before.week,
				}));
			case 'note':
				return this.#change(command.booking, (before) => ({ ...before, message: command.message }));
			case 'customer':
				return this.#change(command.booking, (before) => ({ ...before, email: command.email }));
			case 'stale':
				return this.#find(command.booking) ? { status: 412, error: 'version conflict' } : NOT_FOUND;
			case 'get': {
				const booking = this.#find(command.booking);
				return booking ? { status: 200, booking } : NOT_FOUND;
			}
			case 'delete':
				return this.#delete(command.booking);
			case 'maximum':
				if (this.#isGone) return { status: 404, error: 'time slot not found' };
				this.maxima[command.slot] = command.max;
				return { status: 200 };
			case 'delete service':
				for (const number of this.bookings.keys()) this.#delete(number);
				this.#isGone = true;
				return { status: 200 };
		}
	}

	#find(number: number): Content | undefined {
		return this.bookings[number];
	}

	#holding(slot: number, week: number): Content[] {
		return this.bookings.filter((one): one is Content => {
			return one !== undefined && one.status !== 'cancelled' && one.slot === slot && one.week === week;
		});
	}

	#create({ slot, week, email, key }: Extract<Command, { kind: 'create' }>): Expected & { shows?: number } {
		const request = JSON.stringify([slot, week, email]);
		const first = key === null ? undefined : this.#firsts.get(key);
		if (first) {
			if (first.request === request) return { status: 201, booking: first.booking, shows: first.number };
			return { status: 422, error: 'this Idempotency-Key was used for another request' };
		}
		if (this.#isGone) return { status: 404, error: 'time slot not found' };
		const booking: Content = { slot, week, status: 'pending', message: null, email, version: 1 };
		const refusal = this.#refusal(booking);
		if (refusal) return refusal;
		const number = this.bookings.push(booking) - 1;
		if (key !== null) this.#firsts.set(key, { request, booking, number });
		this.events.push({ number, type: 'booking.created', version: 1 });
		return { status: 201, booking, shows: number };
	}

	/** Why a place cannot be taken; duplicates are told before full. */
	#refusal({ slot, week, email }: Content, except?: Content): Expected | undefined {
		const others = this.#holding(slot, week).filter((one) => one !== except);
		if (email !== null && others.some((one) => one.email?.toLowerCase() === email.toLowerCase())) return DUPLICATE;
		return others.length >= this.maxima[slot]! ? FULL : undefined;
	}

	#change(number: number, plan: (before: Content) => Content): Expected {
		const before = this.#find(number);
		if (!before) return NOT_FOUND;
		const after = plan(before);
		if (JSON.stringify(after) === JSON.stringify(before)) return { status: 200, booking: before };
		const isActive = after.status !== 'cancelled';
		const claims = isActive && (before.status === 'cancelled' || before.week !== after.week);
		const refusal = isActive ? this.#refusal(after, before) : undefined;
		if (refusal && (claims || refusal === DUPLICATE)) return refusal;
		const changed = { ...after, version: before.version + 1 };
		this.bookings[number] = changed;
		const became = after.status !== before.status && after.status !== 'pending' ? after.status : 'updated';
		this.events.push({ number, type: `booking.${became}`, version: changed.version });
		return { status: 200, booking: changed };
	}

	#delete(number: number): Expected {
		const before = this.#find(number);
		if (!before) return NOT_FOUND;
		this.bookings[number] = undefined;
		this.events.push({ number, type: 'booking.deleted', version: before.version + 1 });
		return { status: 200 };
	}
}
