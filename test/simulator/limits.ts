import type { Plugin } from 'rolldown';
import type { Random } from './world/random.ts';

/** A constant of the product's sources by file and name, with what it is in a world where it is small. */
type Limit = readonly [file: string, name: string, values: readonly number[]];

/**
 * Limits of the product that only many reach: pages, batches, what is read or remembered at most. A world has a few hundred
 * bookings, so what happens at a limit, or beyond it, would happen in none. In some worlds some of them are small
 * (FoundationDB does the same with its knobs). None is one that the contract names, and whatever they are, what is promised
 * holds. Those that stand together rest on each other.
 */
export const LIMITS: readonly (readonly Limit[])[] = [
	[
		['services/booking/outbox/relay.ts', 'MAX_BOOKINGS', [1, 3, 20]],
		['services/booking/outbox/messages.ts', 'MAX_BYTES', [1_024, 8_192]],
		['services/booking/outbox/relay.ts', 'MOST_WAITING', [1, 10]],
	],
	[['services/booking/outbox/relay.ts', 'MOST_BEFORE', [1, 3]]],
	[
		['services/booking/outbox/sweeper.ts', 'PAGE', [1, 5]],
		['services/booking/outbox/sweeper.ts', 'DEEPEST', [1, 3]],
		['services/booking/outbox/sweeper.ts', 'WATCHED', [20]],
	],
	[
		['services/booking/seats/seat-queue.ts', 'MAX_BATCH', [2]],
		['services/booking/document/booking-store.ts', 'CROWD', [2]],
		['services/booking/seats/openings.ts', 'EXPIRED', [2]],
		['services/booking/seats/capacity.ts', 'MOST_TOLD', [4]],
		['services/booking/seats/likely-free.ts', 'REMEMBERED', [2, 5]],
		['services/booking/seats/seat-queue.ts', 'CROWDED', [1]],
	],
	[
		['services/booking/document/seated-bookings.ts', 'PAGE', [1, 3]],
		['services/booking/close-service.ts', 'PAGE', [1, 3]],
		['services/booking/holds/hold-sweeper.ts', 'PAGE', [1, 3]],
		['services/booking/document/all-bookings.ts', 'REMOVED', [1, 3]],
	],
	[
		['services/booking/changes/change-queue.ts', 'MOST', [1, 2]],
		['services/booking/document/settle-change.ts', 'REMEMBERED', [2]],
	],
	[['services/booking/quota/unsettled-bookings.ts', 'MOST', [20]]],
	[
		['services/booking/document/booking-lists.ts', 'SERVICES_A_QUERY', [1, 2]],
		['services/booking/document/booking-lists.ts', 'NEAR', [1, 3]],
		['services/booking/document/person-bookings.ts', 'SERVICES_A_QUERY', [1, 2]],
		['services/booking/show-availability.ts', 'MAX_ROWS', [2, 10]],
	],
	[
		['services/accounts/quota/reserve-bookings.ts', 'ACCOUNTS', [1]],
		['services/gateway/quota/quota.ts', 'MAX_REPORT', [1]],
	],
	[
		['services/gateway/authentication/authenticate.ts', 'MAX_KEYS', [1]],
		['services/gateway/authentication/authorize.ts', 'MOST', [1]],
		['services/gateway/calendar/feed-access.ts', 'MAX_FEEDS', [1]],
	],
	[
		['services/gateway/operations/pieces.ts', 'BOOKINGS_A_PIECE', [1, 3]],
		['services/gateway/operations/pieces.ts', 'CUSTOMERS_A_PIECE', [1, 3]],
		['services/gateway/operations/pieces.ts', 'SERVICES_A_PIECE', [1, 3]],
		['services/gateway/operations/pieces.ts', 'DELIVERIES_A_PIECE', [3]],
		['services/gateway/operations/pieces.ts', 'OVERRIDES_A_PIECE', [1, 3]],
		['services/gateway/operations/pieces.ts', 'SLOTS_A_PIECE', [1, 3]],
		['services/gateway/calendar/calendar-feed.ts', 'A_PIECE', [1, 3]],
	],
	[
		['services/catalog/sweep.ts', 'MOST', [1, 3]],
		['services/catalog/sweep.ts', 'RETIRED_AT_ONCE', [1]],
		['services/catalog/schedule/slot-store.ts', 'CHANGES_AT_ONCE', [1, 2]],
		['services/catalog/schedule/override-store.ts', 'REMEMBERED', [1, 3]],
		['services/catalog/read-services.ts', 'REPORTS_A_PIECE', [1]],
	],
	[
		['services/notifications/log/append-events.ts', 'BATCH_SIZE', [1, 3]],
		['services/notifications/log/event-log.ts', 'KNOWN_ACCOUNTS', [1]],
	],
	[
		['services/notifications/log/read-events.ts', 'PIECE', [1, 5]],
		['services/notifications/log/read-events.ts', 'MOST_BYTES', [4_096, 16_384]],
	],
	[
		['services/notifications/log/person-events.ts', 'PIECE', [1, 5]],
		['services/notifications/log/person-events.ts', 'MOST_BYTES', [4_096]],
		['services/notifications/log/erase-person.ts', 'PIECE', [1, 3]],
		['services/customer/erasure/erasure-store.ts', 'MOST', [1]],
		['services/customer/erasure/erasures.ts', 'PAGE', [1, 3]],
		['services/customer/erasure/erasures.ts', 'PIECE', [1, 3]],
		['services/customer/export-person.ts', 'PIECE', [1]],
	],
	[
		['services/notifications/webhooks/queue/fan-out.ts', 'MOST_WEBHOOKS', [1, 2]],
		['services/notifications/webhooks/queue/fan-out.ts', 'MOST_EVENTS', [3, 10]],
		['services/notifications/webhooks/queue/fan-out.ts', 'PAGE', [3, 10]],
		['services/notifications/webhooks/queue/fan-out.ts', 'MOST_PAGES', [1]],
	],
	[
		['services/notifications/webhooks/queue/delivery-engine.ts', 'PAGE', [1, 3]],
		['services/notifications/webhooks/queue/delivery-engine.ts', 'MOST_QUEUES', [4]],
		['services/notifications/webhooks/queue/waiting-deliveries.ts', 'PAGE', [1, 3]],
		['services/notifications/webhooks/queue/waiting-deliveries.ts', 'SETTLED', [2]],
		['services/notifications/webhooks/queue/waiting-deliveries.ts', 'LOOKED_AT', [20]],
		['services/notifications/webhooks/queue/slots.ts', 'MOST', [1]],
	],
	[
		['shared/store/remove-everywhere.ts', 'PIECE', [1, 3]],
		['services/notifications/sweep.ts', 'PIECE', [1, 3]],
	],
];

/** What each limit is that is small in a world, by file and name */
export type SmallLimits = ReadonlyMap<string, number>;

/** Limits whose groups are drawn, each with a value of its own. @param part of the groups that is drawn, in the mean */
export function drawLimits(random: Random, part: number): SmallLimits {
	const small = new Map<string, number>();
	for (const group of LIMITS) {
		if (!random.chance(part)) continue;
		for (const [file, name, values] of group) small.set(`${file} ${name}`, random.pick(values));
	}
	return small;
}

/** Where a limit's value is in a source: `const PAGE = 100;` */
export function declarationOf(name: string): RegExp {
	return new RegExp(`^((?:export )?const ${name} = )([^;]+);`, 'm');
}

/** Lets the product ask its world for each limit, by `limitOf` (`world/bundle.ts`). */
export const askForLimits: Plugin = {
	name: 'limits',
	transform: {
		filter: { id: /\.ts$/ },
		handler(code, id) {
			const own = LIMITS.flat().filter(([file]) => id.endsWith(`/${file}`));
			const names = new Map(own.map(([file, name]) => [name, file]));
			return [...names].reduce(
				(text, [name, file]) => text.replace(declarationOf(name), `$1limitOf('${file} ${name}', $2);`),
				code,
			);
		},
	},
};
