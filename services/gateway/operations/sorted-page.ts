import { byRank } from '../../../shared/contract/ranked.ts';
import type { Booking, BookingSort } from '../../../shared/contract/schemas/booking.ts';

/** What is known of a page beside its rows. */
interface Page {
	sort: BookingSort;
	/** What its last row was sorted by when it was chosen; undefined: not told */
	last_at: string | number | undefined;
	/** Whether a later page has rows */
	goesOn: boolean;
}

/**
 * A page is chosen in one walk, and its rows are read behind it: one may have changed in between. So they are put into the
 * order of what they show. And one that a change took behind the end of the page, as each change does where the last changes come
 * last, is left to the later page: else who goes on from the page's last row would pass over all that is in between.
 */
export function sortedPage(bookings: Booking[], { sort, last_at, goesOn }: Page): Booking[] {
	if (sort === 'id' || sort === '-id') return bookings;
	const isLeft = (booking: Booking) =>
		goesOn && sort === 'updated_at' && last_at !== undefined && booking.updated_at > last_at;
	const direction = sort.startsWith('-') ? -1 : 1;
	const at = sort.endsWith('updated_at')
		? (booking: Booking) => booking.updated_at
		: (booking: Booking) => Date.parse(booking.starts_at);
	const ranked = bookings
		.filter((booking) => !isLeft(booking))
		.map((booking) => ({ id: booking.id, at: at(booking), booking }));
	ranked.sort(byRank(direction));
	return ranked.map(({ booking }) => booking);
}
