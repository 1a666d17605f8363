import { addDays } from '../../shared/calendar/plain-date.ts';
import type { BookingsRecipe, Request, Requests } from './recipes.ts';

type Spread = Pick<BookingsRecipe, 'slots' | 'weeks' | 'perPlace'>;

/** Creates of bookings. */
export function bookings(recipe: Omit<BookingsRecipe, 'kind'>): Requests & { next(n: number): Request } {
	const dates = new Map<number, string>(); // a date costs more to add up than the request to write
	return {
		next(n) {
			const { week, slot } = placeOf(recipe, n);
			let date = dates.get(week);
			if (date === undefined) {
				date = addDays(recipe.firstDate, 7 * week);
				dates.set(week, date);
			}
			const customer = `"customer_name":"Customer ${n}","customer_email":"${recipe.tag}-${n}@example.com"`;
			return {
				method: 'POST',
				path: recipe.path,
				body: `{"date":"${date}","time_slot_id":${recipe.slots[slot]},${customer}}`,
			};
		},
	};
}

/** Where the n-th booking goes: on through all slots and dates of a block, then over them again until they are full. */
function placeOf({ slots, weeks, perPlace }: Spread, n: number): { week: number; slot: number } {
	const places = slots.length * weeks;
	const block = Math.floor(n / (places * perPlace));
	const place = n % places;
	return { week: block * weeks + Math.floor(place / slots.length), slot: place % slots.length };
}

/** Weeks of which `count` bookings used something. */
export function weeksUsed({ slots, weeks, perPlace }: Spread, count: number): number {
	return weeks * Math.ceil(count / (slots.length * weeks * perPlace));
}
