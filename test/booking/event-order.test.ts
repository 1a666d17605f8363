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
	turn?: number;
	mustWait?: boolean;
}

/**
 * The order in which changes are told that nobody has told yet: each as its booking and its number there.
 * @param others bookings of which only what goes before is to be told
 */
function told(changes: Change[], others: readonly string[] = []): string[] {
	const outboxes = [...Map.groupBy(changes, ({ booking }) => booking).entries()];
	const leave = (some: typeof outboxes) => some.map(([, own]) => own.map(leaving));
	const isOther = ([booking]: (typeof outboxes)[number]) => others.includes(booking);
	const own = outboxes.filter((outbox) => !isOther(outbox));
	return inOrder(leave(own), leave(outboxes.filter(isOther))).map(({ id }) => id);
}

function leaving({ booking, second, took = [], gave = [], turn = 0, mustWait }: Change, index: number): Leaving {
	const timestamp = new Date(second * 1000).toISOString();
	const event = { id: `${booking}${index + 1}`, timestamp } as NewEvent;
	return { event, took, gaveUp: gave, turn, ...(mustWait && { mustWait }) };
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
		{ booking: 'c', second: 3, gave: ['seat'], turn: 3 },
		{ booking: 'b', second: 2, took: ['seat'] },
		{ booking: 'b', second: 4, gave: ['seat'], turn: 2 },
		{ booking: 'a', second: 9, gave: ['seat'], turn: 1 },
	];
	expect(told(changes)).toEqual(['a1', 'b1', 'b2', 'c1', 'c2', 'd1']);
});

test('When what the log has is sent once more, with a turn of its own time, then whoever takes the place now is behind who gave it up last', () => {
	const sentAgain = { booking: 'a', second: 1, gave: ['seat'], turn: 1 };
	const changes = [
		{ booking: 'c', second: 5, took: ['seat'] },
		{ booking: 'b', second: 5, gave: ['seat'], turn: 1 },
	];
	expect(told([...changes, sentAgain]).slice(-2)).toEqual(['b1', 'c1']);
	expect(told([...changes, { ...sentAgain, turn: 3 }]).slice(-2)).toEqual(['b1', 'c1']);
});

test('When a booking gives up its place and takes it again, then nobody else has it in between', () => {
	const changes = [
		{ booking: 'a', second: 1, gave: ['seat'], turn: 1 },
		{ booking: 'b', second: 2, took: ['seat'] },
		{ booking: 'b', second: 3, gave: ['seat'], turn: 2 },
		{ booking: 'a', second: 2, took: ['seat'] },
	];
	expect(told(changes)).toEqual(['a1', 'b1', 'b2', 'a2']);
});

test('When changes say of themselves what cannot have been, then all are told, each booking’s in their order', () => {
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

const BOOKINGS = 'abcdef';

/**
 * Bookings that come, move, go, and come back in places for one each, one change after the other, by clocks that say anything. The
 * log has the first changes. The outboxes of some bookings hold those, too: it was others that told of them. Turns begin anew where
 * all until then was told.
 */
const lives = fc
	.record({
		steps: fc.array(fc.tuple(fc.nat(5), fc.nat(PLACES.length), fc.nat(50)), { minLength: 1, maxLength: 60 }),
		logged: fc.nat(30),
		counted: fc.nat(30),
		cleared: fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
		order: fc.array(fc.nat(), { minLength: 6, maxLength: 6 }),
	})
	.map(({ steps, logged, counted, cleared, order }) => {
		const holder = new Map<string, string>();
		const held = new Map<string, string>();
		const turns = new Map<string, number>();
		const changes: Change[] = [];
		for (const [number, wish, second] of steps) {
			const booking = BOOKINGS[number]!;
			const [had, wanted] = [held.get(booking), PLACES[wish]];
			if (changes.length === Math.min(counted, logged)) turns.clear();
			if (had === wanted || (wanted !== undefined && holder.has(wanted))) continue;
			const change: Change = { booking, second };
			if (had !== undefined) {
				holder.delete(had);
				held.delete(booking);
				turns.set(had, (turns.get(had) ?? 0) + 1);
				Object.assign(change, { gave: [had], turn: turns.get(had) });
			}
			if (wanted !== undefined) {
				holder.set(wanted, booking);
				held.set(booking, wanted);
				change.took = [wanted];
			}
			changes.push(change);
		}
		const log = changes.slice(0, logged);
		const waiting = changes.filter((change) => !log.includes(change) || !cleared[BOOKINGS.indexOf(change.booking)]);
		const turnOf = ({ booking }: Change) => order[BOOKINGS.indexOf(booking)]!;
		return { log, outboxes: waiting.toSorted((one, other) => turnOf(one) - turnOf(other)) };
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

test('Whatever bookings take and give up, whatever their clocks say and whichever leave together, nothing is taken before it is given up', () => {
	fc.assert(
		fc.property(lives, ({ log, outboxes }) => {
			const own = Map.groupBy(outboxes, ({ booking }) => booking);
			const order = told(outboxes).map((id) => own.get(id[0]!)![Number(id.slice(1)) - 1]!);
			expect(order).toHaveLength(outboxes.length);
			expect(takenTwice([...log, ...order.filter((change) => !log.includes(change))])).toEqual([]);
		}),
		{ numRuns: 2_000 },
	);
});

test('Whoever is not known of those that leave, nothing is told before what it waits for, and of others only what goes before', () => {
	const someOf = fc.array(fc.constantFrom('wanted', 'other', 'hidden'), { minLength: 6, maxLength: 6 });
	fc.assert(
		fc.property(lives, someOf, ({ log, outboxes }, kinds) => {
			const kindOf = (booking: string) => kinds[BOOKINGS.indexOf(booking)];
			const isHidden = ({ booking }: Change) => kindOf(booking) === 'hidden';
			const givenUp = new Set(outboxes.filter(isHidden).flatMap(({ gave = [] }) => gave));
			const shown = outboxes.filter((change) => !isHidden(change));
			const isCut = ({ booking }: Change) =>
				shown.some(({ booking: own, took = [] }) => own === booking && took.some((place) => givenUp.has(place)));
			const marked = shown.map((change) => ({ ...change, mustWait: isCut(change) && change.took !== undefined }));
			const own = Map.groupBy(shown, ({ booking }) => booking);
			const others = [...own.keys()].filter((booking) => kindOf(booking) === 'other');
			const order = told(marked, others).map((id) => own.get(id[0]!)![Number(id.slice(1)) - 1]!);
			expect(takenTwice([...log, ...order.filter((change) => !log.includes(change))])).toEqual([]);
			const isWanted = ({ booking }: Change) => kindOf(booking) === 'wanted';
			if (!marked.some(({ mustWait }) => mustWait))
				expect(order.filter(isWanted)).toHaveLength(shown.filter(isWanted).length);
			if (!shown.some(isWanted)) expect(order).toEqual([]);
		}),
		{ numRuns: 2_000 },
	);
});
