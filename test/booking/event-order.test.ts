import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { inOrder, type Leaving } from '../../services/booking/outbox/event-order.ts';
import type { NewEvent } from '../../shared/contract/actions.ts';

/** One change of a booking: what it took and what it gave up, by the clock of the process that made it. */
interface Change {
	booking: string;
	second: number;
	took?: string[];
	gave?: string[];
}

/** The order in which changes are told that nobody has told yet: each as its booking and its number there. */
function told(changes: Change[]): string[] {
	const outboxes = Map.groupBy(changes, ({ booking }) => booking);
	return inOrder([...outboxes.values()].map((own) => own.map(leaving))).map(({ id }) => id);
}

function leaving({ booking, second, took = [], gave = [] }: Change, index: number): Leaving {
	const timestamp = new Date(second * 1000).toISOString();
	return { event: { id: `${booking}${index + 1}`, timestamp } as NewEvent, took, gaveUp: gave };
}

test('When a place is taken by a process whose clock is behind that of who gave it up, then it is given up first', () => {
	const changes = [
		{ booking: 'b', second: 1, took: ['seat'] },
		{ booking: 'a', second: 9, gave: ['seat'] },
	];
	expect(told(changes)).toEqual(['a1', 'b1']);
});

test('When several had a place one after the other, then each gives it up before the next one takes it', () => {
	const changes = [
		{ booking: 'd', second: 0, took: ['seat'] },
		{ booking: 'c', second: 3, took: ['seat'] },
		{ booking: 'c', second: 3, gave: ['seat'] },
		{ booking: 'b', second: 2, took: ['seat'] },
		{ booking: 'b', second: 4, gave: ['seat'] },
		{ booking: 'a', second: 9, gave: ['seat'] },
	];
	expect(told(changes)).toEqual(['a1', 'b1', 'b2', 'c1', 'c2', 'd1']);
});

test('When a booking gives up its place and takes it again, then nobody else has it in between', () => {
	const changes = [
		{ booking: 'a', second: 1, gave: ['seat'] },
		{ booking: 'b', second: 2, took: ['seat'] },
		{ booking: 'b', second: 3, gave: ['seat'] },
		{ booking: 'a', second: 2, took: ['seat'] },
	];
	expect(told(changes)).toEqual(['a1', 'b1', 'b2', 'a2']);
});

test('When clocks put changes in an order that cannot have been, then all are told, each booking’s in their order', () => {
	const changes = [
		{ booking: 'a', second: 1, took: ['one'] },
		{ booking: 'a', second: 1, took: ['two'], gave: ['one'] },
		{ booking: 'a', second: 1, gave: ['two'] },
		{ booking: 'b', second: 0, took: ['two'] },
		{ booking: 'b', second: 2, took: ['one'], gave: ['two'] },
		{ booking: 'b', second: 2, gave: ['one'] },
	];
	expect(told(changes).toSorted()).toEqual(['a1', 'a2', 'a3', 'b1', 'b2', 'b3']);
	expect(told(changes).filter((id) => id.startsWith('a'))).toEqual(['a1', 'a2', 'a3']);
});

const PLACES = ['p', 'q', 'r', 's'];

/** Bookings that come, move, go, and come back in places for one each, one change after the other; the first ones were told. */
const lives = fc
	.record({
		steps: fc.array(fc.tuple(fc.nat(5), fc.nat(PLACES.length)), { minLength: 1, maxLength: 60 }),
		toldBefore: fc.nat(20),
		keys: fc.array(fc.nat(), { minLength: 6, maxLength: 6 }),
	})
	.map(({ steps, toldBefore, keys }) => {
		const holder = new Map<string, string>();
		const held = new Map<string, string>();
		const changes: Change[] = [];
		for (const [second, [number, wish]] of steps.entries()) {
			const booking = 'abcdef'[number]!;
			const [had, wanted] = [held.get(booking), PLACES[wish]];
			if (had === wanted || (wanted !== undefined && holder.has(wanted))) continue;
			if (had !== undefined) holder.delete(had);
			if (wanted === undefined) held.delete(booking);
			else {
				holder.set(wanted, booking);
				held.set(booking, wanted);
			}
			changes.push({
				booking,
				second,
				...(wanted !== undefined && { took: [wanted] }),
				...(had !== undefined && { gave: [had] }),
			});
		}
		return { changes, toldBefore, keys };
	});

/** Places that somebody takes while somebody has them. */
function takenTwice(changes: readonly Change[]): string[] {
	const holder = new Set<string>();
	const twice: string[] = [];
	for (const { took = [], gave = [] } of changes) {
		for (const place of gave) holder.delete(place);
		for (const place of took) {
			if (holder.has(place)) twice.push(place);
			holder.add(place);
		}
	}
	return twice;
}

test('Whatever bookings take and give up, and whichever of them leave together, nothing is taken before it is given up', () => {
	fc.assert(
		fc.property(lives, ({ changes, toldBefore, keys }) => {
			const [before, waiting] = [changes.slice(0, toldBefore), changes.slice(toldBefore)];
			const byId = new Map<string, Change>(
				[...Map.groupBy(waiting, ({ booking }) => booking)].flatMap(([booking, own]) =>
					own.map((change, index) => [`${booking}${index + 1}`, change] as const),
				),
			);
			const shuffled = waiting.toSorted(
				(one, other) => keys['abcdef'.indexOf(one.booking)]! - keys['abcdef'.indexOf(other.booking)]!,
			);
			const order = told(shuffled).map((id) => byId.get(id)!);
			expect(order).toHaveLength(waiting.length);
			expect(takenTwice([...before, ...order])).toEqual([]);
		}),
		{ numRuns: 500 },
	);
});

test('Where every clock is wrong and each booking has one change that waits, nothing is taken before it is given up', () => {
	fc.assert(
		fc.property(lives, fc.array(fc.nat(100), { minLength: 60, maxLength: 60 }), ({ changes }, clocks) => {
			const from =
				1 +
				changes.findLastIndex(({ booking }, index) =>
					changes.slice(index + 1).some((later) => later.booking === booking),
				);
			const waiting = changes.slice(from).map((change, index) => ({ ...change, second: clocks[index]! }));
			const order = told(waiting).map((id) => waiting.find(({ booking }) => id.startsWith(booking))!);
			expect(takenTwice([...changes.slice(0, from), ...order])).toEqual([]);
		}),
		{ numRuns: 500 },
	);
});
