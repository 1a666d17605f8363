import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Occupant } from '../../services/booking/document/keys.ts';
import { openSeats } from '../../services/booking/seats/capacity.ts';
import { type Claimant, decideBatch } from '../../services/booking/seats/decide-batch.ts';
import { openingsOf } from '../../services/booking/seats/openings.ts';
import { room } from '../../shared/calendar/bookable.ts';

const occupants = fc
	.uniqueArray(fc.integer({ min: 0, max: 30 }), { maxLength: 20 })
	.map((seats) => seats.map((seat, id): Occupant => ({ id: id + 1, seat, customerKey: `c${id}`, heldUntil: 0 })));
const max = fc.integer({ min: 0, max: 25 });

describe('the seats that may be taken', () => {
	test('When a maximum was lowered under what is booked, then none is open', () => {
		const taken = [0, 1, 2, 3, 4].map((seat) => ({ id: seat + 1, seat, customerKey: '', heldUntil: 0 }));
		expect(openSeats(3, taken)).toEqual([]);
	});

	test('When it was lowered from 5 to 3 with seats 3 and 4 taken, then only seat 0 is open, not each free one', () => {
		const taken = [3, 4].map((seat) => ({ id: seat, seat, customerKey: '', heldUntil: 0 }));
		expect(openSeats(3, taken)).toEqual([0]);
	});

	test('Whatever is taken, there are as many open seats as there is room, the lowest free ones, below the maximum', () => {
		fc.assert(
			fc.property(max, occupants, (limit, taken) => {
				const seats = openSeats(limit, taken);
				const used = new Set(taken.map(({ seat }) => seat));
				const free = Array.from({ length: limit }, (_, seat) => seat).filter((seat) => !used.has(seat));
				expect(seats).toEqual(free.slice(0, room(limit, taken.length)));
			}),
		);
	});

	test('When 10,000 fit, then 500 are told of, for no batch needs more', () => {
		expect(openSeats(10_000, [{ id: 1, seat: 0, customerKey: '', heldUntil: 0 }])).toEqual(
			Array.from({ length: 500 }, (_, index) => index + 1),
		);
	});
});

/** Of a claim. One on a crowd asks whether seats at or above the maximum are held, and which of the others are. */
const KINDS = ['read max', 'read occupants', 'read reach', 'read some', 'write'];

/** One step of several claims on one occurrence: a new maximum, a read, a write, the end of a booking. */
const step = fc.record({
	kind: fc.constantFrom(...['max', 'end'], ...KINDS, ...KINDS),
	max: fc.integer({ min: 0, max: 6 }),
	claim: fc.nat({ max: 4 }),
	pick: fc.nat({ max: 5 }),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** What a claim on a crowd asked for another maximum */
const FORGOTTEN = { isReached: undefined, free: undefined };

/** Plays the steps. @returns what the theorem of capacity.ts forbids, of each write and each moment before its claim */
function broken(steps: Step[]): string[] {
	const maxima = [{ at: -1, max: 5 }];
	const active: { seat: number; begun: number; written: number }[] = [];
	const claims = new Map<
		number,
		{
			begun: number;
			max?: number;
			occupants?: Occupant[];
			isReached?: boolean | undefined;
			free?: number[] | undefined;
		}
	>();
	const found: string[] = [];
	for (const [at, { kind, max, claim, pick }] of steps.entries()) {
		const its = claims.get(claim) ?? { begun: at };
		if (kind === 'max') maxima.push({ at, max });
		else if (kind === 'end') active.splice(pick, 1);
		else if (kind === 'read max') claims.set(claim, { ...its, ...FORGOTTEN, max: maxima.at(-1)!.max });
		else if (kind === 'read occupants') {
			claims.set(claim, {
				...its,
				occupants: active.map(({ seat }) => ({ id: seat, seat, customerKey: '', heldUntil: 0 })),
			});
		} else if (kind === 'read reach' && its.max !== undefined) {
			claims.set(claim, { ...its, isReached: active.some(({ seat }) => seat >= its.max!) });
		} else if (kind === 'read some' && its.max !== undefined) {
			const held = new Set(active.map(({ seat }) => seat));
			const free = Array.from({ length: its.max }, (_, seat) => seat).filter((seat) => !held.has(seat));
			claims.set(claim, { ...its, free });
		} else if (its.max !== undefined && (its.occupants !== undefined || (its.isReached === false && its.free))) {
			claims.delete(claim);
			const seats = its.occupants === undefined ? its.free! : openSeats(its.max, its.occupants);
			const seat = seats[pick % seats.length];
			if (seat === undefined || active.some((one) => one.seat === seat)) continue; // refused, by the rule or the index
			active.push({ seat, begun: its.begun, written: at });
			for (let moment = -1; moment < its.begun; moment++) {
				const inForce = maxima.findLast((one) => one.at <= moment)!.max;
				const highest = Math.max(inForce, ...maxima.filter((one) => one.at > moment).map((one) => one.max));
				const underWay = active.filter(({ begun, written }) => begun <= moment && written > moment).length;
				if (active.length > highest + underWay)
					found.push(`${active.length} > ${highest} + ${underWay} since ${moment}`);
			}
		}
	}
	return found;
}

describe('the theorem', () => {
	test('L8: However claims, ends and new maximums interleave, only claims under way at a lowering go above it', () => {
		const run = fc.property(fc.array(step, { minLength: 40, maxLength: 120 }), (steps) => broken(steps).length === 0);
		fc.assert(run, { numRuns: 4_000 });
	});
});

const decide = (claims: readonly Claimant[], max: number, taken: Occupant[]) =>
	decideBatch(claims, max, openingsOf(max, taken));

describe('the decision over a batch', () => {
	const claims = fc.array(
		fc.record({
			movedId: fc.constant(undefined),
			customerKey: fc.option(fc.constantFrom('c0', 'c1', 'x', 'y'), { nil: null }),
		}),
		{ maxLength: 12 },
	);

	test('Seats are given out once each, and never more than there is room', () => {
		fc.assert(
			fc.property(claims, max, occupants, (batch: Claimant[], limit, taken) => {
				const seats = decide(batch, limit, taken).flatMap((decision) =>
					decision.kind === 'seat' ? [decision.seat] : [],
				);
				expect(new Set(seats).size).toBe(seats.length);
				expect(seats.length).toBeLessThanOrEqual(room(limit, taken.length));
				for (const seat of seats) expect(openSeats(limit, taken)).toContain(seat);
			}),
		);
	});

	test('A claim is refused as full only where everything before it fills the slot, and rests on just those claims', () => {
		fc.assert(
			fc.property(claims, max, occupants, (batch: Claimant[], limit, taken) => {
				const decisions = decide(batch, limit, taken);
				decisions.forEach((decision, index) => {
					if (decision.kind !== 'refused' || decision.error !== 'time_slot_full') return;
					const accepted = decisions.slice(0, index).flatMap(({ kind }, at) => (kind === 'seat' ? [at] : []));
					expect(accepted.length).toBe(room(limit, taken.length));
					expect(decision.restsOn).toEqual(accepted);
				});
			}),
		);
	});

	test('When a customer is there twice, then the second one is told duplicate, before full', () => {
		const twice = [
			{ movedId: undefined, customerKey: 'ada' },
			{ movedId: undefined, customerKey: 'ada' },
		];
		expect(decide(twice, 1, [])).toEqual([
			{ kind: 'seat', seat: 0 },
			{ kind: 'refused', error: 'duplicate_booking', restsOn: [0] },
		]);
		expect(decide(twice, 1, [{ id: 1, seat: 0, customerKey: 'ada', heldUntil: 0 }])).toEqual([
			{ kind: 'refused', error: 'duplicate_booking', restsOn: [] },
			{ kind: 'refused', error: 'duplicate_booking', restsOn: [] },
		]);
	});

	test('When another process has moved the booking here already, then its claim is stale, and no duplicate of itself', () => {
		expect(
			decide([{ movedId: 9, customerKey: 'ada' }], 1, [{ id: 9, seat: 0, customerKey: 'ada', heldUntil: 0 }]),
		).toEqual([{ kind: 'stale' }]);
	});
});
