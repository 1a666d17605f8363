import { describe, expect, test } from '@jest/globals';
import type { CreateBooking } from '../../shared/contract/schemas/booking.ts';
import { checkHistory } from './checker/check-history.ts';
import type { History } from './history.ts';
import { DATE, Story } from './story.ts';

const NEXT = '2027-01-11';
const FULL = 'time slot is full';
const GONE = 'time slot not found';

/** The rules that a history breaks. (A booking too many is one too many in the feed as well.) */
function broken(history: History): string[] {
	return [...new Set(checkHistory(history).map(({ rule }) => rule))].filter((rule) => rule !== 'replay');
}

describe('T1: the checker and the maximum', () => {
	test('When a place is given up before the next one takes it, then that is fine', () => {
		const story = new Story(1).make(1, [10, 20]).delete(1, [30, 40]).make(2, [35, 50]);
		expect(checkHistory(story.end())).toEqual([]);
	});

	test('When one booking too many is active for an instant only, then it is found', () => {
		const story = new Story(1).make(1, [10, 20]).make(2, [30, 40]).delete(1, [40.01, 50]);
		expect(broken(story.end())).toEqual(['capacity']);
	});

	test('When requests that overlap are all accepted, then their number is what counts', () => {
		const story = (max: number) => new Story(max).make(1, [10, 30]).make(2, [11, 29]).make(3, [12, 31]);
		expect(checkHistory(story(3).end())).toEqual([]);
		expect(broken(story(2).end())).toEqual(['capacity']);
	});

	test('When a booking without an answer landed, then it counts', () => {
		const story = new Story(1).make(1, [10, Number.POSITIVE_INFINITY]).look(1, [20, 30]).make(2, [40, 50]);
		expect(broken(story.end())).toEqual(['capacity']);
	});

	test('When bookings move, then each date counts by itself', () => {
		const story = new Story(1).make(1, [10, 20]).change(1, [30, 40], { date: NEXT }).make(2, [50, 60]);
		expect(checkHistory(story.end())).toEqual([]);
		const back = story.change(1, [70, 80], { date: DATE });
		expect(broken(back.end())).toEqual(['capacity']);
	});

	test('When a maximum is lowered under what is booked, then those bookings stay and no new one may come', () => {
		const story = () => new Story(3).make(1, [10, 20]).make(2, [10, 20]).make(3, [10, 20]).setMaximum(2, [30, 40]);
		expect(checkHistory(story().refuse([50, 60], FULL).end())).toEqual([]);
		expect(broken(story().delete(1, [45, 46]).make(4, [50, 60]).end())).toEqual(['capacity']);
		expect(checkHistory(story().delete(1, [45, 46]).delete(2, [45, 46]).make(4, [50, 60]).end())).toEqual([]);
	});

	test('L8: When a creation was on its way at the lowering, then it may still be accepted', () => {
		const story = () => new Story(2).make(1, [10, 20]).setMaximum(1, [30, 40]);
		expect(checkHistory(story().make(2, [39, 60]).end())).toEqual([]);
		expect(broken(story().make(2, [41, 60]).end())).toEqual(['capacity']);
	});

	test('L8: When one was on its way, then it does not excuse a second one that was not', () => {
		const story = new Story(2).make(1, [10, 20]).setMaximum(1, [30, 40]).make(2, [39, 60]);
		expect(checkHistory(story.refuse([41, 70], FULL).end())).toEqual([]);
		expect(broken(story.make(3, [61, 70]).end())).toEqual(['capacity']);
	});
});

describe('T1: the checker and refusals', () => {
	test('When the slot was full at some moment of the request, then "full" is right', () => {
		const story = () => new Story(1).make(1, [10, 20]);
		expect(checkHistory(story().refuse([30, 40], FULL).end())).toEqual([]);
		expect(checkHistory(story().refuse([5, 11], FULL).end())).toEqual([]);
		expect(checkHistory(story().delete(1, [30, 40]).refuse([39, 50], FULL).end())).toEqual([]);
	});

	test('When it was full at none, then "full" is found', () => {
		const story = () => new Story(1).make(1, [10, 20]);
		expect(broken(story().refuse([4, 9], FULL).end())).toEqual(['refusals']);
		expect(broken(story().delete(1, [30, 40]).refuse([41, 50], FULL).end())).toEqual(['refusals']);
		expect(broken(story().setMaximum(2, [30, 40]).refuse([41, 50], FULL).end())).toEqual(['refusals']);
		expect(checkHistory(story().setMaximum(2, [30, 40]).refuse([39, 50], FULL).end())).toEqual([]);
	});

	test('When nobody with the address has a booking there, then "duplicate" is found', () => {
		const story = () => new Story(3).make(1, [10, 20], { customer_email: 'Ada@x.org' });
		const duplicate = 'duplicate booking';
		expect(checkHistory(story().refuse([30, 40], duplicate, { customer_email: 'ada@X.org' }).end())).toEqual([]);
		expect(broken(story().refuse([30, 40], duplicate, { customer_email: 'bob@x.org' }).end())).toEqual(['refusals']);
		const other = { customer_email: 'ada@x.org', date: NEXT };
		expect(broken(story().refuse([30, 40], duplicate, other).end())).toEqual(['refusals']);
	});

	test('When a customer has two active bookings of one slot and date, then it is found', () => {
		const ada = { customer_email: 'ada@x.org' };
		const story = () => new Story(3).make(1, [10, 20], ada).make(2, [30, 40], { customer_email: 'ADA@x.org' });
		expect(broken(story().end())).toEqual(['customers']);
		const cancelled = new Story(3).make(1, [10, 20], ada);
		cancelled.change(1, [21, 25], { status: 'cancelled', cancel_reason: 'ill' }).make(2, [30, 40], ada);
		expect(checkHistory(cancelled.end())).toEqual([]);
	});
});

describe('T1: the checker and Idempotency-Keys', () => {
	test('When a key is answered alike each time, then that is fine, whatever became of the booking', () => {
		const story = new Story(2).make(1, [10, 20], { key: 'k' }).replay(1, [30, 40], 'k').delete(1, [50, 60]);
		expect(checkHistory(story.replay(1, [70, 80], 'k').end())).toEqual([]);
	});

	test('When a key books twice, then it is found, also where only one of both was answered', () => {
		const both = new Story(2).make(1, [10, 20], { key: 'k' }).make(2, [30, 40], { key: 'k', message: 'booking 1' });
		expect(broken(both.end())).toContain('idempotency');
		const one = new Story(2).make(1, [10, Number.POSITIVE_INFINITY], { key: 'k' });
		one.make(2, [30, 40], { key: 'k', message: 'booking 1' });
		expect(broken(one.end())).toEqual(['events']);
	});

	test('When a key is refused after its success was answered, then it is found', () => {
		const story = new Story(1).make(1, [10, 20], { key: 'k' }).refuse([30, 40], FULL, { key: 'k' });
		expect(broken(story.end())).toEqual(['idempotency']);
	});

	test('When a booking goes with its service, then its key is not answered 404 after its success', () => {
		const gone = () => new Story(1).make(1, [10, 20], { key: 'k' }).closeService([11, 30]);
		expect(checkHistory(gone().replay(1, [40, 50], 'k').end())).toEqual([]);
		expect(broken(gone().refuse([40, 50], GONE, { key: 'k' }).end())).toEqual(['idempotency']);
	});

	test('When a booking was made, and went with its service, then a creation that was answered 404 is not the one that made it', () => {
		const story = new Story(1).make(1, [10, 20]).closeService([11, 30]);
		const made = story.operations.find(({ asked }) => asked.kind === 'create')!;
		Object.assign(made, { outcome: 'fail', answered: { status: 404, error: GONE } });
		expect(broken(story.end())).toContain('events');
	});
});

describe('T1: the checker, versions and what is there', () => {
	const cancel = { status: 'cancelled', cancel_reason: 'ill' } as const;

	test('When a booking that was acknowledged is not there in the end, then it is found', () => {
		const story = new Story(2).make(1, [10, 20]).make(2, [10, 20]);
		story.bookings.delete(1);
		expect(broken(story.end())).toEqual(['presence']);
	});

	test('When a version is skipped, then it is found', () => {
		const story = new Story(1).make(1, [10, 20]);
		story.bookings.set(1, { ...story.bookings.get(1)!, version: 2 });
		story.change(1, [30, 40], { status: 'confirmed' });
		expect(broken(story.end())).toContain('events');
	});

	test('When two changes are answered with one version, then it is found', () => {
		const story = new Story(1).make(1, [10, 20]);
		const before = story.bookings.get(1)!;
		story.change(1, [30, 40], { message: 'first' });
		story.bookings.set(1, before);
		story.change(1, [30, 40], { message: 'second' });
		story.events.pop();
		expect(broken(story.end())).toContain('versions');
	});

	test('When an acknowledged change is lost, then it is found', () => {
		const story = new Story(1).make(1, [10, 20]);
		const before = story.bookings.get(1)!;
		story.change(1, [30, 40], { message: 'kept?' });
		story.events.pop();
		story.bookings.set(1, before);
		expect(broken(story.end())).not.toEqual([]);
	});

	test('When somebody sees an older version after a newer one was acknowledged, then it is found', () => {
		const story = () => new Story(1).make(1, [10, 20]);
		const before = story().bookings.get(1)!;
		expect(checkHistory(story().change(1, [30, 40], cancel).look(1, [39, 50], before).end())).toEqual([]);
		expect(broken(story().change(1, [30, 40], cancel).look(1, [41, 50], before).end())).toEqual(['versions']);
	});

	test('When a change without an answer happened twice, then it is found', () => {
		const story = new Story(1).make(1, [10, 20]).change(1, [30, Number.POSITIVE_INFINITY], { message: 'once' });
		expect(checkHistory(story.end())).toEqual([]);
		story.change(1, [50, 60], { message: 'other' });
		expect(checkHistory(story.end())).toEqual([]);
		story.change(1, [70, 80], { message: 'once' });
		story.operations.pop();
		expect(broken(story.end())).toEqual(['events']);
	});

	test('When a booking that is there is not found, then it is told', () => {
		const story = new Story(1).make(1, [10, 20]);
		story.bookings.delete(1);
		story.look(1, [30, 40]);
		story.make(1, [50, 60]).operations.pop();
		story.events.pop();
		expect(broken(story.end())).toEqual(['reads']);
	});

	test('When a reader is told that it is beyond the end of the feed, or not, and that is wrong, then it is found', () => {
		const story = () => new Story(2).make(1, [10, 20]).make(2, [10, 20]).lookAtFeed(0, [30, 40]);
		expect(checkHistory(story().lookAtFeed(2, [50, 60]).lookAtFeed(3, [50, 60]).end())).toEqual([]);
		expect(broken(story().lookAtFeed(2, [50, 60], true).end())).toEqual(['events']);
		expect(broken(story().lookAtFeed(3, [50, 60], false).end())).toEqual(['events']);
		expect(checkHistory(story().lookAtFeed(2, [39, 60], true).end())).toEqual([]); // it may have been asked before
	});

	test('When a request is answered 500 or takes too long, then it is told', () => {
		const slow = new Story(1).make(1, [10, 12_000]);
		expect(broken(slow.end())).toEqual(['answers']);
		const failed = new Story(1).make(1, [10, 20]).end();
		failed.operations.at(-1)!.answered!.status = 500;
		expect(broken(failed)).toEqual(['answers']);
	});
});

describe('T1: the checker and the feed', () => {
	const good = () => new Story(3).make(1, [10, 20]).make(2, [10, 20]).change(1, [30, 40], { status: 'confirmed' });

	test('When an event is missing, then it is found', () => {
		const story = good();
		story.events.pop();
		expect(broken(story.end())).toContain('events');
	});

	test('When the sequence has a gap, or a number twice, then it is found', () => {
		for (const by of [1, -1]) {
			const history = good().end();
			history.final.events.at(-1)!.sequence += by;
			expect(broken(history)).toEqual(['events']);
		}
	});

	test('When the events of a booking are out of order, then it is found', () => {
		const history = good().end();
		const [first, second, third] = history.final.events.map(({ sequence: _, ...event }) => event);
		history.final.events = [third!, second!, first!].map((event, index) => ({ ...event, sequence: index + 1 }));
		expect(broken(history)).toEqual(['events']);
	});

	test('When there is an event of something that nobody asked for, then it is found', () => {
		const ghost = good();
		ghost.make(9, [50, 60]).operations.pop();
		expect(broken(ghost.end())).toEqual(['events']);
		const changed = good();
		changed.change(2, [50, 60], { message: 'nobody' }).operations.pop();
		expect(broken(changed.end())).toEqual(['events']);
	});

	test('When an event does not say what was answered, or has another type, then it is found', () => {
		const other = good().end();
		other.final.events[0]!.data.message = 'other';
		expect(broken(other)).toContain('events');
		const type = good().end();
		type.final.events[2]!.type = 'booking.updated';
		expect(broken(type)).toEqual(['events']);
	});
});

describe('T1: the checker and the directory', () => {
	/** One booking, and what the directory has of it when it is read, after the final state. */
	function recorded(version: number, more: Partial<CreateBooking> = {}): History {
		const history = new Story(1).make(1, [10, 20], more).end();
		const [booking] = history.final.bookings;
		if (more.hold_minutes) booking!.expires_at = history.final.events[0]!.data.expires_at = '2027-01-01T00:01:00.000Z';
		history.final.customers = [{ booking_id: 1, version, customer: booking!.customer }];
		return history;
	}
	const rules = (history: History) => broken(history).filter((rule) => rule === 'directory');

	test('When a hold ends between the two reads, then the directory is a version further', () => {
		expect(rules(recorded(1, { hold_minutes: 1 }))).toEqual([]);
		expect(rules(recorded(2, { hold_minutes: 1 }))).toEqual([]);
		expect(rules(recorded(3, { hold_minutes: 1 }))).toEqual(['directory']);
	});

	test('When a booking was not held, then the directory has its version', () => {
		expect(rules(recorded(1))).toEqual([]);
		expect(rules(recorded(2))).toEqual(['directory']);
	});
});
