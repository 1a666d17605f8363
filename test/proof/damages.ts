import type { Booking, CreateBooking } from '../../shared/contract/schemas/booking.ts';
import type { TimeSlot } from '../../shared/contract/schemas/time-slot.ts';
import { dateOn } from '../support/calendar.ts';
import type { Rule } from './checker/violation.ts';
import { type History, type OperationOf, ofKind } from './history.ts';

/** Damages a good history; false where it has nothing to damage. `choice`, 0 to 1, decides where. */
export type Damage = (history: History, choice: number) => boolean;

export function choose<T>(values: readonly T[], choice: number): T | undefined {
	return values[Math.floor(choice * values.length)];
}

const lostBooking: Damage = ({ final }, choice) => {
	const booking = choose(final.bookings, choice);
	final.bookings = final.bookings.filter((other) => other !== booking);
	return booking !== undefined;
};

const missingEvent: Damage = ({ final }, choice) => {
	const event = choose(final.events, choice);
	final.events = final.events.filter((other) => other !== event).map((one, index) => ({ ...one, sequence: index + 1 }));
	return event !== undefined;
};

const sequenceGap: Damage = ({ final }, choice) => {
	const from = Math.floor(choice * final.events.length);
	for (const event of final.events.slice(from)) event.sequence++;
	return final.events.length > 0;
};

const eventOutOfOrder: Damage = ({ final }, choice) => {
	const later = choose(
		final.events.filter(({ data }) => data.version > 1),
		choice,
	);
	if (later === undefined) return false;
	const earlier = final.events.find(({ data }) => data.id === later.data.id && data.version === later.data.version - 1);
	const [first, second] = [final.events.indexOf(earlier!), final.events.indexOf(later)];
	final.events[first] = { ...later, sequence: first + 1 };
	final.events[second] = { ...earlier!, sequence: second + 1 };
	return true;
};

const phantomEvent: Damage = ({ final }, choice) => {
	const booking = choose(final.bookings, choice);
	const last = final.events.findLast(({ data }) => data.id === booking?.id);
	if (!last || !booking) return false;
	const version = last.data.version + 1;
	const data = { ...last.data, version, message: 'nobody wrote this', updated_at: 'later' };
	final.bookings = final.bookings.map((other) => (other === booking ? data : other));
	const id = `evt_${data.id}_${version}`;
	const previous = { message: last.data.message };
	const sequence = final.events.length + 1;
	final.events.push({ id, type: 'booking.updated', timestamp: 'later', sequence, data, previous });
	return true;
};

const skippedVersion: Damage = (history, choice) => {
	const booking = choose(history.final.bookings, choice);
	if (booking === undefined) return false;
	const { id, version } = booking;
	const texts = JSON.stringify(history);
	const raised = texts
		.replaceAll(`"evt_${id}_${version}"`, `"evt_${id}_${version + 1}"`)
		.replaceAll(`"customer_id":${id},`, `"customer_id":${id},"mark":true,`);
	const copy = JSON.parse(raised, function (this: Record<string, unknown>, key, value: unknown) {
		return key === 'version' && value === version && this.mark === true ? version + 1 : value;
	}) as History;
	Object.assign(history, JSON.parse(JSON.stringify(copy).replaceAll('"mark":true,', '')));
	for (const operation of history.operations) operation.to ??= Number.POSITIVE_INFINITY;
	return true;
};

const bookedTwice: Damage = (history, choice) => {
	const isAsMade = ({ id, status, date, time_slot_id, customer }: Booking) => {
		const made = history.final.events.find(({ data }) => data.id === id)!.data;
		const hasMoved = date !== made.date || time_slot_id !== made.time_slot_id;
		return status !== 'cancelled' && !hasMoved && customer.email !== null && customer.email === made.customer.email;
	};
	const booking = choose(history.final.bookings.filter(isAsMade), choice);
	if (!booking) return false;
	const created = ofKind(history.operations, 'create').find(
		({ outcome, answered }) => outcome === 'ok' && (answered!.data as { id: number }).id === booking.id,
	);
	if (!created) return false;
	addBooking(history, { ...created, asked: { ...created.asked, key: undefined } }, 9_999);
	return true;
};

/** What an acknowledged change did stays, but its client was told that nothing happened. */
const refusedAfterAll: Damage = ({ operations, final }, choice) => {
	const updates = ofKind(operations, 'update');
	const made = updates.filter(({ asked: { body }, outcome }) => {
		const alike = updates.filter((other) => other.asked.body.message === body.message);
		return outcome === 'ok' && alike.length === 1 && final.events.some(({ data }) => data.message === body.message);
	});
	const change = choose(
		made.filter(({ asked }) => asked.body.message != null),
		choice,
	);
	if (change === undefined) return false;
	Object.assign(change, { outcome: 'fail', answered: { status: 412, error: 'version conflict' } });
	return true;
};

const keyTwice: Damage = (history, choice) => {
	const keyed = ofKind(history.operations, 'create').filter(
		({ asked, outcome, answered }) => asked.key && outcome === 'ok' && !answered!.replayed,
	);
	const created = choose(keyed, choice);
	if (created) addBooking(history, created, 9_999);
	return created !== undefined;
};

const keyRefused: Damage = ({ operations, final }, choice) => {
	const settled = ofKind(operations, 'create').filter(({ asked, outcome }) => asked.key && outcome === 'ok');
	const created = choose(settled, choice);
	if (created === undefined) return false;
	const [from, to] = [final.time - 0.6, final.time - 0.5];
	const answered = { status: 404, error: 'time slot not found' };
	operations.push({ ...created, op: operations.length + 1, from, to, ended: to, outcome: 'fail', answered });
	return true;
};

const overbooked: Damage = (history) => {
	const [listed] = ofKind(history.operations, 'list slots');
	const slot = (listed!.answered!.data as TimeSlot[])[0]!;
	const changes = ofKind(history.operations, 'update slots').filter(({ asked, outcome }) => {
		return outcome === 'ok' && asked.body.time_slots[0]!.id === slot.id;
	});
	const last = changes.reduce((latest, one) => (one.to > (latest?.to ?? 0) ? one : latest), changes[0]);
	if (changes.some((one) => one !== last && one.to > last!.from)) return false; // either may have been the last
	const max = last === undefined ? slot.max_bookings : last.asked.body.time_slots[0]!.max_bookings;
	const body = { time_slot_id: slot.id, date: dateOn(1, 9), message: 'for an instant' };
	for (let number = 0; number <= max; number++) addPassing(history, slot, body, 10_000 + number);
	return true;
};

/** A booking that is made and deleted, at moments that it shares with the others of its kind. */
function addPassing({ operations, final }: History, slot: TimeSlot, body: CreateBooking, id: number): void {
	const customer = { id, name: null, email: null, phone: null, created_at: '', updated_at: '' };
	const data: Booking = {
		id,
		service_id: slot.service_id,
		date: body.date,
		time_slot_id: slot.id,
		starts_at: '',
		ends_at: '',
		timezone: 'UTC',
		status: 'pending',
		expires_at: null,
		message: body.message!,
		metadata: {},
		customer,
		customer_id: id,
		time_slot: slot,
		user_id: 'model',
		version: 1,
		created_at: '',
		updated_at: 'first',
	};
	const [made, deleted] = [final.time - 0.9, final.time - 0.5];
	const common = { client: 1, account: 'model', outcome: 'ok' } as const;
	const op = operations.length + 1;
	const times = (from: number) => ({ from, to: from + 0.1, ended: from + 0.1 });
	operations.push(
		{ ...common, op, ...times(made), asked: { kind: 'create', body }, answered: { status: 201, data } },
		{
			...common,
			op: op + 1,
			...times(deleted),
			asked: { kind: 'delete', booking_id: id },
			answered: { status: 200, data: 'ok' },
		},
	);
	const gone = { ...data, version: 2, updated_at: 'last' };
	for (const [type, state] of [
		['booking.created', data],
		['booking.deleted', gone],
	] as const) {
		const event = { id: `evt_${id}_${state.version}`, type, timestamp: state.updated_at, data: state, previous: {} };
		final.events.push({ ...event, sequence: final.events.length + 1 });
	}
}

/** The same request once more, with a booking of its own, after everything else. */
function addBooking({ operations, final }: History, like: OperationOf<'create'>, id: number): void {
	const before = like.answered!.data as History['final']['bookings'][number];
	const data = structuredClone({ ...before, id, customer_id: id, customer: { ...before.customer, id } });
	const from = final.time - 0.6;
	const answered = { status: 201, data, replayed: false };
	operations.push({ ...like, op: operations.length + 1, from, to: from + 0.1, ended: from + 0.1, answered });
	final.bookings.push(data);
	const event = { id: `evt_${id}_1`, type: 'booking.created' as const, timestamp: data.updated_at };
	final.events.push({ ...event, sequence: final.events.length + 1, data, previous: {} });
}

/** An acknowledged one was told to be gone, when the deletion of its service was asked for and not answered. */
const returned: Damage = ({ operations, final }, choice) => {
	const told = ofKind(operations, 'create').filter(({ outcome }) => outcome === 'ok');
	const made = new Set(told.map(({ answered }) => (answered!.data as Booking).id));
	const booking = choose(
		final.bookings.filter(({ id }) => made.has(id)),
		choice,
	);
	if (booking === undefined) return false;
	const op = operations.length + 1;
	const common = { client: 1, account: 'model' };
	const closing = { kind: 'delete service', service_id: booking.service_id } as const;
	const answered = { status: 404, error: 'booking not found' };
	const [from, to] = [final.time - 0.6, final.time - 0.5];
	const never = { to: Number.POSITIVE_INFINITY, ended: to, outcome: 'unknown', answered: undefined } as const;
	operations.push({ ...common, op, asked: closing, from: from - 0.1, ...never });
	const asked = { kind: 'get', booking_id: booking.id } as const;
	operations.push({ ...common, op: op + 1, asked, from, to, ended: to, outcome: 'fail', answered });
	return true;
};

const unjustFull: Damage = (history) => {
	const [first] = ofKind(history.operations, 'list slots');
	const slot = (first!.answered!.data as { id: number }[])[0]!;
	const body = { time_slot_id: slot.id, date: '2031-01-06', message: 'early' };
	const answered = { status: 400, error: 'time slot is full' };
	const [from, to] = [history.final.time - 0.6, history.final.time - 0.5];
	const op = history.operations.length + 1;
	const asked = { kind: 'create', body } as const;
	history.operations.push({ op, client: 1, account: 'model', asked, from, to, ended: to, outcome: 'fail', answered });
	return history.operations.every(({ asked: other }) => {
		return (
			other.kind !== 'update slots' ||
			other.body.time_slots.every(({ id, max_bookings }) => id !== slot.id || max_bookings > 0)
		);
	});
};

const foreignSeat: Damage = (history) => {
	const [listed] = ofKind(history.operations, 'list slots');
	const own = (listed!.answered!.data as TimeSlot[])[0]!;
	addPassing(history, { ...own, id: 9_999 }, { time_slot_id: 9_999, date: dateOn(1, 9), message: 'not ours' }, 10_000);
	return true;
};

const foreignAnswer: Damage = ({ operations, final }) => {
	const tried = { kind: 'create', body: { time_slot_id: 9_999, date: dateOn(1, 9) } } as const;
	const asked = { kind: 'trespass', on: 'another', tried } as const;
	const [from, to] = [final.time - 0.6, final.time - 0.5];
	const answered = { status: 400, error: 'time slot is full' };
	const op = operations.length + 1;
	operations.push({ op, client: 1, account: 'model', asked, from, to, ended: to, outcome: 'fail', answered });
	return true;
};

/** What is damaged, and the rules of which at least one must tell. */
export const damages: Record<string, { damage: Damage; rules: Rule[] }> = {
	'a booking that was acknowledged is lost': { damage: lostBooking, rules: ['presence'] },
	'one booking too many is active for an instant': { damage: overbooked, rules: ['capacity'] },
	'an event is missing': { damage: missingEvent, rules: ['events', 'presence'] },
	'the sequence has a gap': { damage: sequenceGap, rules: ['events'] },
	'two events of a booking change places': { damage: eventOutOfOrder, rules: ['events'] },
	'an event tells of what nobody asked for': { damage: phantomEvent, rules: ['events'] },
	'a version is skipped': { damage: skippedVersion, rules: ['events'] },
	'an identified customer books a place twice': { damage: bookedTwice, rules: ['customers', 'capacity'] },
	'a change that was refused was made': { damage: refusedAfterAll, rules: ['refusals'] },
	'a key books twice': { damage: keyTwice, rules: ['idempotency'] },
	'a key is answered 404 after its success': { damage: keyRefused, rules: ['idempotency'] },
	'a booking is on another account’s slot': { damage: foreignSeat, rules: ['tenants'] },
	'another account’s slot is told to be full': { damage: foreignAnswer, rules: ['tenants'] },
	'a booking that was told to be gone is there': { damage: returned, rules: ['reads'] },
	'an empty slot is called full': { damage: unjustFull, rules: ['refusals'] },
};
