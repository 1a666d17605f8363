import { expect, test } from '@jest/globals';
import type { Crowds } from '../../services/booking/document/crowds.ts';
import type { Occupant } from '../../services/booking/document/keys.ts';
import { decideBatch } from '../../services/booking/seats/decide-batch.ts';
import { LikelyFree } from '../../services/booking/seats/likely-free.ts';
import { openingsOfCrowd } from '../../services/booking/seats/openings.ts';

const OCCURRENCE = { account_id: 'a', time_slot_id: 1, date: '2030-01-07' };
const NOBODY = { movedId: undefined, customerKey: null };

/** An occurrence whose seats are known here, and how often all of them are read. */
class Hall {
	readonly taken = new Set<number>();
	readonly likely = new LikelyFree();
	max: number;
	reads = 0;

	constructor(max: number) {
		this.max = max;
	}

	/** @returns the seats that a batch of so many claims was given */
	async book(count: number, likely = this.likely): Promise<number[]> {
		const claims = Array.from({ length: count }, () => NOBODY);
		const where = { occurrence: OCCURRENCE, service_id: 1, max: this.max };
		const openings = await openingsOfCrowd(this.#crowds(), likely, where, claims, 0);
		const decisions = decideBatch(claims, this.max, openings);
		const seats = decisions.flatMap((decision) => (decision.kind === 'seat' ? [decision.seat] : []));
		expect(seats.filter((seat) => this.taken.has(seat) || seat >= this.max)).toEqual([]);
		for (const seat of seats) this.taken.add(seat);
		return seats;
	}

	#crowds(): Crowds {
		const { taken } = this;
		const occupants = () =>
			[...taken].map((seat): Occupant => ({ id: seat, seat, customerKey: String(seat), heldUntil: 0 }));
		const answers: Pick<Crowds, 'reaches' | 'held' | 'among' | 'expired' | 'count' | 'all'> = {
			reaches: async (_, seat) => [...taken].some((one) => one >= seat),
			held: async (_, seats) => {
				if (seats === undefined) this.reads++;
				return new Set(seats?.filter((seat) => taken.has(seat)) ?? taken);
			},
			among: async () => [],
			expired: async () => [],
			count: async () => taken.size,
			all: async () => occupants(),
		};
		return answers as Crowds;
	}
}

test.each([1, 8, 250])(
	'When 10,000 places are booked %p at a time, then all their seats are read a few times, not for each',
	async (together) => {
		const hall = new Hall(10_000);
		while (hall.taken.size < hall.max) {
			const wanted = Math.min(together, hall.max - hall.taken.size);
			expect(await hall.book(wanted)).toHaveLength(wanted);
		}
		expect(await hall.book(together)).toEqual([]);
		expect(hall.reads).toBeGreaterThan(0);
		expect(hall.reads).toBeLessThan(12);
	},
);

test('When another process takes the seats that this one remembers, then each claim still finds one, until there is none', async () => {
	const hall = new Hall(3_000);
	const others = new LikelyFree();
	for (let seat = 0; seat < 2_900; seat++) hall.taken.add(seat);
	expect(await hall.book(1)).toHaveLength(1); // remembers the others now
	expect(await hall.book(90, others)).toHaveLength(90);
	for (let left = 9; left > 0; left--) expect(await hall.book(1)).toHaveLength(1);
	expect(await hall.book(1)).toEqual([]);
});

test('When a booking goes after all seats were remembered, then its seat is found', async () => {
	const hall = new Hall(1_000);
	while (hall.taken.size < hall.max) await hall.book(1);
	hall.taken.delete(321);
	expect(await hall.book(2)).toEqual([321]);
});

test('When bookings go from a full occurrence and it is told, then their seats are given without all being read', async () => {
	const hall = new Hall(1_000);
	while (hall.taken.size < hall.max) await hall.book(1);
	const before = hall.reads;
	for (let seat = 0; seat < 500; seat += 5) {
		for (const freed of [seat, seat + 1]) {
			hall.taken.delete(freed);
			hall.likely.add(freed);
		}
		expect((await hall.book(2)).sort((a, b) => a - b)).toEqual([seat, seat + 1]);
	}
	expect(hall.reads).toBe(before);
});

test('When a few seats of a half full occurrence are known to be free, and more are wanted, then others are drawn', async () => {
	const hall = new Hall(1_000);
	for (let seat = 0; seat < 500; seat++) hall.taken.add(seat);
	hall.likely.add(700);
	expect(await hall.book(20)).toHaveLength(20);
	expect(hall.reads).toBe(0);
});

test('L8: When the maximum is lowered to above what is held, then a seat beyond it that was remembered is not given out', async () => {
	const hall = new Hall(10_000);
	for (let seat = 0; seat < 800; seat++) hall.taken.add(seat);
	hall.likely.remember(Array.from({ length: 200 }, (_, index) => 9_000 + index));
	hall.max = 810;
	expect((await hall.book(20)).sort((a, b) => a - b)).toEqual(Array.from({ length: 10 }, (_, index) => 800 + index));
});
