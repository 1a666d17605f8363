import { describe, expect, test } from '@jest/globals';
import type { Availability, AvailabilityEntry } from '../../shared/contract/schemas/availability.ts';
import type { TimeSlot, TimeSlotInput } from '../../shared/contract/schemas/time-slot.ts';
import { placesOf, wallClock } from '../catalog/zone-oracle.ts';
import { anySeed, Random } from '../proof/random.ts';
import { plusDays } from '../support/calendar.ts';
import { drawTimes, WEEKS, ZONES } from '../support/clock-changes.ts';
import type { Client } from '../support/http-client.ts';
import { createService, slotInput, slotsOf } from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';

/** Services that are tried; nightly 500 */
const SERVICES = Number(process.env.BOOKABLE_SERVICES ?? 12);
const seed = Number(process.env.PROOF_SEED ?? anySeed());

describe('S9: availability and creation across the nights in which clocks change', () => {
	test(
		`S9: When a week is asked for and every entry is tried, then what is bookable is made, the rest refused, at the moments that the zone has (seed ${seed})`,
		async () => {
			const random = new Random(seed);
			const client = newAccount();
			for (let count = 0; count < SERVICES; count++) {
				const timezone = random.pick(ZONES);
				const from = random.pick(WEEKS);
				const { id } = await createService(client, { timezone, time_slots: fourSlots(random) });
				await tryEach(client, id, timezone, from);
				const other = random.pick(ZONES);
				if (random.chance(0.5)) (await client.patch(`/v1/services/${id}`, { timezone: other })).mustBe(200);
				else await changeSlots(client, id, random);
				const { timezone: now } = (await client.get<{ timezone: string }>(`/v1/services/${id}`)).mustBe(200);
				await tryEach(client, id, now, from);
			}
		},
		240_000 + SERVICES * 5_000,
	);
});

function fourSlots(random: Random): TimeSlotInput[] {
	return Array.from({ length: 4 }, () => {
		return slotInput({ day_of_week: random.index(7), max_bookings: random.between(1, 2), ...drawTimes(random) });
	});
}

async function changeSlots(client: Client, service: number, random: Random): Promise<void> {
	const time_slots = (await slotsOf(client, service)).map(({ id }) => ({
		id,
		max_bookings: random.index(3),
		day_of_week: random.index(7),
	}));
	(await client.patch('/v1/time-slots', { time_slots })).mustBe(200);
}

async function tryEach(client: Client, service: number, timezone: string, from: string): Promise<void> {
	const query = { from, to: plusDays(from, 6) };
	const path = `/v1/services/${service}/availability`;
	const entries = (await client.get<Availability>(path, { query })).mustBe(200).availability;
	const slots = new Map((await slotsOf(client, service)).map((slot) => [slot.id, slot]));
	expect(entries).toHaveLength(slots.size); // a week has each weekday once
	for (const entry of entries) {
		expect(momentsOf(entry)).toEqual(expectedMoments(entry, slots.get(entry.time_slot_id)!, timezone));
		const { date, time_slot_id, bookable } = entry;
		const { status } = await client.post('/v1/bookings', { date, time_slot_id });
		expect({ ...entry, status }).toEqual({ ...entry, status: bookable ? 201 : 400 });
	}
}

/** When it begins, that as the zone's clocks show it, and whether it ends later. */
function momentsOf({ starts_at, ends_at }: AvailabilityEntry) {
	const begin = Date.parse(starts_at);
	return { begin, shown: starts_at.slice(0, 19).replace('T', ' '), endsLater: Date.parse(ends_at) > begin };
}

function expectedMoments({ date }: AvailabilityEntry, { start_time }: TimeSlot, timezone: string) {
	const begin = placesOf(timezone, `${date} ${start_time.slice(11)}`);
	return { begin, shown: wallClock(timezone, begin), endsLater: true };
}
