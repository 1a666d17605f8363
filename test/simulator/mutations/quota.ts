import { type Mutation, mutation as m } from './mutation.ts';

const usageStore = 'services/accounts/quota/usage-store.ts';
const reserveBookings = 'services/accounts/quota/reserve-bookings.ts';
const quotaRefunds = 'services/booking/quota/quota-refunds.ts';
const quotaReservations = 'services/booking/quota/quota-reservations.ts';

/** Accounts' months */
export const quota: readonly Mutation[] = [
	m(
		usageStore,
		"...(room === 'as read' ? { bookings } : atMost(room)), ...asRead },",
		'...asRead },',
		'a reservation does not look how much is left',
	),
	m(
		usageStore,
		'{ ...key, ...atMost(limit - total), ...Object.fromEntries(later) },',
		'{ ...key, ...atMost(limit - total) },',
		'a reservation that is repeated is counted twice',
	),
	m(usageStore, '[path]: { $not: { $gte: number } } };', '};', 'a return that is repeated is counted twice'),
	m(
		usageStore,
		"\t\t\tif (!mayStillLand(error)) throw error;\n\t\t\treturn 'lost';",
		"\t\t\tif (!mayStillLand(error)) throw error;\n\t\t\treturn 'refused';",
		'a reservation whose answer was lost counts as refused',
	),
	m(
		reserveBookings,
		'\t\tif (last !== undefined && last.number >= number) return last.number === number ? last.granted : 0;\n',
		'\t\tvoid last;\n',
		'a reservation that is asked for again is counted again',
	),
	m(
		reserveBookings,
		'if (granted === 0 && !mayStillCome) return 0;',
		'if (granted === 0) return 0;',
		'what an earlier try of a refused reservation may still bring is not fenced',
	),
	m(
		reserveBookings,
		'const granted = Math.max(0, Math.min(count, limit - found.bookings));',
		'const granted = limit > found.bookings ? count : 0;',
		'who asks for more than is left gets it all',
	),
	m(
		quotaRefunds,
		'\t\t\t\tif (this.#ending) return;\n',
		'\t\t\t\treturn;\n',
		'bookings whose return failed once are not given back',
	),
	m(
		quotaRefunds,
		'number: ++this.#lastNumber });',
		'number: this.#lastNumber });',
		'a second return carries the number of the first one',
	),
	m(
		quotaReservations,
		'\t\t\t\tawait this.#giveBack({ ...asked, again: true }, line);\n',
		'',
		'a reservation whose answer was lost stays counted (X16)',
	),
	m(
		quotaReservations,
		'number: ++this.#lastNumber, month, count };',
		'number: this.#lastNumber, month, count };',
		'a second reservation carries the number of the first one',
	),
	m(quotaReservations, '\t\tleft -= given;\n', '', 'each who reserved together gets what was granted to all'),
];
