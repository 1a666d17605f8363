import { describe, expect, test } from '@jest/globals';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import type { TimeSlot } from '../../shared/contract/schemas/time-slot.ts';
import { dateOn } from '../support/calendar.ts';
import { eventsUpTo } from '../support/feed.ts';
import type { Client } from '../support/http-client.ts';
import { replayFeed } from '../support/replay-feed.ts';
import { createService, slotInput, slotsOf, tryToBook } from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';

const CLIENTS = 8;
const CHANGES = 25;
const EMAILS = ['ann@example.com', 'bob@example.com', 'cid@example.com'];

/** One client among others that want the same places: it books, moves, changes the address and gives up. @returns its changes */
async function compete(client: Client, slots: TimeSlot[], seed: number): Promise<number> {
	const date = dateOn(1);
	let [booking, changes, tries]: [Booking | undefined, number, number] = [undefined, 0, seed];
	const pick = <T>(from: readonly T[]): T => from[tries % from.length]!;
	while (changes < CHANGES && ++tries < 16 * CHANGES) {
		if (booking === undefined) {
			const answer = await tryToBook(
				client,
				{ slot: pick(slots), date },
				{ customer_name: 'A', customer_email: pick(EMAILS) },
			);
			if (answer.status === 201) [booking, changes] = [answer.mustBe(201), changes + 1];
			continue;
		}
		const path = `/v1/bookings/${booking.id}`;
		const asked = [
			() => client.patch(path, { time_slot_id: pick(slots).id }),
			() => client.patch(`${path}/customer`, { email: pick(EMAILS) }),
			() => client.patch(path, { status: 'cancelled', cancel_reason: 'x' }),
			() => client.patch(path, { status: 'pending' }),
			() => client.delete(path),
		];
		const what = (tries + seed) % asked.length;
		const answer = await asked[what]!();
		if (answer.status !== 200) continue;
		changes++;
		if (what === asked.length - 1) booking = undefined;
	}
	return changes;
}

describe('The order of the feed', () => {
	test('When many want the same places and customers, then whoever replays the feed never counts one too many', async () => {
		const client = newAccount();
		const time_slots = [slotInput(), slotInput({ max_bookings: 2 })];
		const service = await createService(client, { time_slots });
		const slots = await slotsOf(client, service.id);
		const seeds = Array.from({ length: CLIENTS }, (_, index) => index);
		const changes = await Promise.all(seeds.map((seed) => compete(client, slots, seed)));
		expect(Math.min(...changes)).toBeGreaterThan(0);
		const events = await eventsUpTo(client, 10 * CLIENTS);
		const most = new Map(slots.map(({ id, max_bookings }) => [id, max_bookings]));
		expect(replayFeed(events, (slot) => most.get(slot))).toEqual([]);
	});
});
