import { describe, expect, test } from '@jest/globals';
import { sortedPage } from '../../services/gateway/operations/sorted-page.ts';
import type { Booking, BookingSort } from '../../shared/contract/schemas/booking.ts';

const at = (minute: number) => `2027-01-04T10:${String(minute).padStart(2, '0')}:00.000Z`;

/** Bookings 1, 2 and 3, of which the second changed since the page was chosen. */
const CHANGED = [
	{ id: 1, updated_at: at(1), starts_at: '2027-01-04T10:00:00+01:00' },
	{ id: 2, updated_at: at(9), starts_at: '2027-01-04T09:00:00+02:00' },
	{ id: 3, updated_at: at(3), starts_at: '2027-01-04T10:00:00+01:00' },
] as Booking[];

describe('a page of a sorted list', () => {
	test.each<[string, BookingSort, boolean, string | number | undefined, number[]]>([
		['is followed by another, and changes come last', 'updated_at', true, at(3), [1, 3]],
		['is the last one', 'updated_at', false, at(3), [1, 3, 2]],
		['is of an earlier release, which does not tell', 'updated_at', true, undefined, [1, 3, 2]],
		['has the last changes first', '-updated_at', true, at(1), [2, 3, 1]],
		['is by start, in zones of its own', 'starts_at', true, 0, [2, 1, 3]],
		['is by start, the last first', '-starts_at', true, 0, [3, 1, 2]],
		['is by id', 'id', true, 3, [1, 2, 3]],
	])(
		'When it %s, then it is in order, and who goes on from its last row misses nothing',
		(_, sort, goesOn, last_at, ids) => {
			expect(sortedPage(CHANGED, { sort, goesOn, last_at }).map(({ id }) => id)).toEqual(ids);
		},
	);
});
