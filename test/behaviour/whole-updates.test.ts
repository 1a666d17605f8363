import { describe, expect, test } from '@jest/globals';
import type { AvailabilityEntry } from '../../shared/contract/schemas/availability.ts';
import type { Service } from '../../shared/contract/schemas/service.ts';
import type { TimeSlot } from '../../shared/contract/schemas/time-slot.ts';
import type { Answer, Client } from '../support/http-client.ts';
import { createService, slotInput, slotsOf } from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';

const UPDATES = 40;

/** Numbers of places that one answer shows, and the least that it may show: what was acknowledged before it was asked. */
interface Sighting {
	read: string;
	seen: Set<number>;
	least: number;
}

/** What an answer shows; undefined where a busy machine gave none. */
async function shown<T>(asked: Promise<Answer<T>>): Promise<T | undefined> {
	const answer = await asked;
	return [503, 504].includes(answer.status) ? undefined : answer.mustBe(200);
}

/**
 * Sets all slots to the same number, again and again, beside readers of each kind.
 * @param fewest answers that are looked at: where readers are slow, there are more updates
 */
async function sightings(
	client: Client,
	slots: TimeSlot[],
	fewest: number,
	reads: Record<string, () => Promise<number[] | undefined>>,
) {
	const found: Sighting[] = [];
	let acknowledged = 1;
	let writing = true;
	const readers = Object.entries(reads).map(async ([read, ask]) => {
		while (writing) {
			const least = acknowledged;
			const maxima = await ask();
			if (maxima !== undefined) found.push({ read, seen: new Set(maxima), least });
		}
	});
	for (let max_bookings = 2; max_bookings <= UPDATES + 1 || found.length < fewest; max_bookings++) {
		const time_slots = slots.map(({ id }) => ({ id, max_bookings }));
		if ((await shown(client.patch('/v1/time-slots', { time_slots }))) !== undefined) acknowledged = max_bookings;
	}
	writing = false;
	await Promise.all(readers);
	expect(acknowledged).toBeGreaterThan(UPDATES / 2);
	expect(found.length).toBeGreaterThanOrEqual(fewest);
	return found;
}

describe('X18: a bulk update of time slots is seen whole', () => {
	test('When slots of two services are updated beside readers, then each answer shows all of an update or none', async () => {
		const client = newAccount();
		const given = Array.from({ length: 30 }, () => slotInput({ max_bookings: 1 }));
		const one = await createService(client, { time_slots: given });
		const two = await createService(client, { time_slots: given });
		const slots = [...(await slotsOf(client, one.id)), ...(await slotsOf(client, two.id))];
		const maxima = (list: { max_bookings: number }[]) => list.map(({ max_bookings }) => max_bookings);
		const listed = async (path: string) => {
			const list = await shown(client.get<{ time_slots: TimeSlot[] }>(path));
			return list && maxima(list.time_slots);
		};
		const days = 'from=2026-01-01&to=2026-01-14';
		const found = await sightings(client, slots, 21, {
			'of a service': async () => {
				const list = await shown(client.get<TimeSlot[]>(`/v1/services/${one.id}/time-slots`));
				return list && maxima(list);
			},
			'of the account': () => listed('/v1/time-slots?page_size=100'),
			'without pages': () => listed('/v1/time-slots?no_pagination=true'),
			availability: async () => {
				const path = `/v1/services/${two.id}/availability?${days}`;
				const list = await shown(client.get<{ availability: AvailabilityEntry[] }>(path));
				return list && maxima(list.availability);
			},
		});
		const wrong = found.filter(({ seen, least }) => seen.size !== 1 || [...seen][0]! < least);
		expect(wrong).toEqual([]);
	});

	test('When an answer is fetched in pieces, then all of them are of one moment', async () => {
		const client = newAccount();
		const given = Array.from({ length: 500 }, () => slotInput({ max_bookings: 1 }));
		const services: Service[] = [];
		for (let made = 0; made < 3; made++) services.push(await createService(client, { time_slots: given }));
		const [first, , last] = await Promise.all(services.map(({ id }) => slotsOf(client, id)));
		const ends = [...first!.slice(0, 30), ...last!.slice(-30)];
		const watched = new Set(ends.map(({ id }) => id));
		const found = await sightings(client, ends, 1, {
			'without pages': async () => {
				const list = await shown(client.get<{ time_slots: TimeSlot[] }>('/v1/time-slots?no_pagination=true'));
				return list?.time_slots.filter(({ id }) => watched.has(id)).map(({ max_bookings }) => max_bookings);
			},
			availability: async () => {
				const path = `/v1/services/${services[0]!.id}/availability?from=2026-01-01&to=2026-04-02`;
				const list = await shown(client.get<{ availability: AvailabilityEntry[] }>(path));
				return list?.availability
					.filter(({ time_slot_id }) => watched.has(time_slot_id))
					.map(({ max_bookings }) => max_bookings);
			},
		});
		expect(found.filter(({ seen, least }) => seen.size !== 1 || [...seen][0]! < least)).toEqual([]);
	});
});
