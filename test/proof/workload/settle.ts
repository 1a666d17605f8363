import { setTimeout as delay } from 'node:timers/promises';
import type { Booking } from '../../../shared/contract/schemas/booking.ts';
import type { BookingEvent } from '../../../shared/contract/schemas/event.ts';
import type { Recorder } from '../recorder.ts';
import { partedByErasure } from './erased.ts';
import type { RecordedApi } from './recorded-api.ts';

/** ms between two looks that must agree */
const PAUSE = 1_000;
/** ms; contract §8 allows 2 s, and this is for the slowest machine */
export const PATIENCE = 30_000;

interface Seen {
	/** Before the first read of it, ms */
	time: number;
	services: number[];
	bookings: Booking[];
	events: BookingEvent[];
}

/** Reads an account's final state and writes it down. */
export async function readFinalState(api: RecordedApi, recorder: Recorder, patience: number): Promise<void> {
	const { time, ...seen } = await settled(api, () => recorder.now(), patience);
	recorder.final({ account: api.account, ...seen }, time);
}

/**
 * What the API shows of an account once two looks show the same and the feed tells of every booking's last version. Where
 * that does not come, it is the last look, and whoever judges it says what is missing.
 */
export async function settled(api: RecordedApi, clock: () => number, patience = PATIENCE): Promise<Seen> {
	const end = performance.now() + patience;
	let before = '';
	for (;;) {
		const time = clock();
		const seen = await look(api);
		const now = JSON.stringify(seen);
		if ((now === before && isComplete(seen)) || performance.now() > end) return { time, ...seen };
		before = now;
		await delay(PAUSE);
	}
}

async function look(api: RecordedApi): Promise<Omit<Seen, 'time'>> {
	const services = await api.services();
	const bookings: Booking[] = [];
	for (const service of services) bookings.push(...(await api.bookings(service)));
	return { services, bookings, events: await api.events() };
}

/** Each booking's last event is of the version that is there, or of its deletion; an erasure's version has no event. */
function isComplete({ bookings, events }: Omit<Seen, 'time'>): boolean {
	const { told, erased } = partedByErasure(events);
	const last = new Map(told.map(({ type, data }) => [data.id, { type, version: data.version }]));
	const there = new Map(bookings.map(({ id, version }) => [id, version]));
	const isTold = ([id, { type, version }]: [number, { type: string; version: number }]) =>
		type === 'booking.deleted' || erased.has(id) || there.get(id) === version;
	return [...last].every(isTold) && bookings.every(({ id }) => last.has(id));
}
