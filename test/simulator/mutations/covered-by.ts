/**
 * Which tests are asked about a mistake in a file, the quick ones first: those of the file whose path begins so. Tests in
 * `behaviour` start the whole product, so they come after the others.
 */
const COVERED_BY: Readonly<Record<string, readonly string[]>> = {
	'services/booking/document/booking-store.ts': [
		...['attempts', 'concurrency', 'occupants', 'crowds', 'lost-answers', 'uncertainty', 'repair'].map(ofBooking),
		'behaviour/idempotency',
		'behaviour/repeated-delete',
	],
	'services/booking/document/settle': ['lost-answers', 'uncertainty'].map(ofBooking),
	'services/booking/document/states.ts': [
		...['concurrency', 'holds', 'tombstones', 'uncertainty', 'deleted-service-order'].map(ofBooking),
		'behaviour/statuses',
	],
	'services/booking/document/prepare-update.ts': [
		...['relay', 'steady-changes', 'clock-ahead', 'uncertainty', 'folds', 'concurrency', 'holds'].map(ofBooking),
		'behaviour/previous',
	],
	'services/booking/document/all-bookings.ts': [
		...['relay', 'steady-changes', 'tombstones', 'holds', 'deleted-services', 'concurrency'].map(ofBooking),
		...['deleted-service-order'].map(ofBooking),
		'behaviour/service-delete-cascade',
		'behaviour/moves-to-slots',
	],
	'services/booking/document/closures.ts': [...['deleted-services'].map(ofBooking), 'behaviour/service-delete-cascade'],
	'services/booking/document/keys.ts': ['behaviour/duplicates'],
	'services/booking/document/crowds.ts': ['crowds'].map(ofBooking),
	'services/booking/document/write-limit.ts': ['lease'].map(ofBooking),
	'services/booking/seats/capacity.ts': ['capacity', 'rounds'].map(ofBooking),
	'services/booking/seats/decide-batch.ts': ['capacity', 'rounds', 'concurrency'].map(ofBooking),
	'services/booking/seats/openings.ts': ['crowds', 'holds', 'likely-free'].map(ofBooking),
	'services/booking/seats/seat-queue.ts': [
		...['rounds', 'attempts', 'lost-answers', 'uncertainty', 'concurrency'].map(ofBooking),
		'behaviour/usage',
		'behaviour/availability',
	],
	'services/booking/seats/new-booking.ts': [
		...['month', 'deleted-services', 'uncertainty', 'lost-answers', 'concurrency'].map(ofBooking),
		'behaviour/idempotency',
		'behaviour/moves-to-slots',
	],
	'shared/calendar/bookable.ts': ['capacity'].map(ofBooking),
	'shared/work/answered.ts': ['behaviour/repeated-delete', 'behaviour/error-codes'],
	'services/booking/changes': [
		...['folds', 'steady-changes', 'concurrency', 'holds', 'lost-answers'].map(ofBooking),
		'behaviour/versions',
		'behaviour/moves-to-slots',
	],
	'services/booking/outbox': [
		...['relay', 'others-away', 'event-order', 'feed-order', 'clock-ahead', 'deleted-services'].map(ofBooking),
		...['behaviour/directory', 'behaviour/feed-order'],
	],
	'services/booking/holds': ['holds'].map(ofBooking),
	'services/booking/close-service.ts': [...['concurrency'].map(ofBooking), 'behaviour/service-delete-cascade'],
	'services/booking/update-booking.ts': ['behaviour/statuses', 'behaviour/customers', 'behaviour/versions'],
	'services/booking/quota': [
		...['uncertainty', 'month', 'concurrency', 'lost-answers'].map(ofBooking),
		...['usage-returns', 'quota'].map((name) => `accounts/${name}`),
	],
	'services/accounts/quota': ['accounts/quota', 'accounts/usage-returns'],
	'shared/lock/redis-fair-lock.ts': ['line', 'conformance', 'redis-failure', 'death', 'moved-clock'].map(ofLock),
	'shared/lock/commands': ['scripts.model', 'line', 'conformance', 'death', 'moved-clock'].map(ofLock),
	'shared/lock/local-fair-lock.ts': ['conformance'].map(ofLock),
	'shared/lock/lease.ts': [...['conformance'].map(ofLock), ...['lease'].map(ofBooking)],
	'services/notifications/log': ['append', 'append-faults', 'list', 'long-poll', 'sweep'].map(
		(name) => `notifications/${name}`,
	),
	'services/catalog/schedule': ['catalog/update-slots', 'catalog/replace-schedule'],
	'shared/store/counter.ts': ['store/counter'],
	'shared/store/write-errors.ts': ['store/write-errors', ...['uncertainty'].map(ofBooking)],
	'shared/engine/by-account.ts': ['accounts-apart'].map(ofBooking),
};

function ofBooking(name: string): string {
	return `booking/${name}`;
}

function ofLock(name: string): string {
	return `lock/${name}`;
}

/** @returns files of tests, from the repository's root */
export function coveredBy(file: string): string[] {
	const found = Object.entries(COVERED_BY).find(([path]) => file.startsWith(path));
	if (found === undefined) throw new Error(`no tests are named for ${file}`);
	return found[1].map((name) => `test/${name}.test.ts`);
}
