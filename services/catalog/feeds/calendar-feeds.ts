import { setTimeout as delay } from 'node:timers/promises';
import type { FoundFeed, Params } from '../../../shared/contract/actions.ts';
import { ApiError } from '../../../shared/contract/errors.ts';
import type { CalendarFeed, NewCalendarFeed } from '../../../shared/contract/schemas/calendar-feed.ts';
import { timestamp } from '../../../shared/engine/clock.ts';
import { addressOfFeed, createFeedToken, hashFeedToken } from '../../../shared/secrets/feed-token.ts';
import { deleteOnce } from '../../../shared/work/answered.ts';
import { underDeadline } from '../../../shared/work/deadline.ts';
import type { Catalog, Request } from '../catalog.ts';
import { findService } from '../read-services.ts';
import { serviceKey } from '../service.model.ts';
import type { FeedRow } from './feed-store.ts';

/**
 * Makes a calendar feed. Its token leaves this process with the answer, and is never told again.
 * @throws service_not_found, calendar_feeds_limit_reached
 */
export async function createFeed(
	{ store, changes }: Catalog,
	{ account_id, service_id, body }: Params<'catalog.createFeed'>,
	{ deadline }: Request,
): Promise<NewCalendarFeed> {
	const service = { account_id, service_id };
	const { feeds, clock } = store;
	await findService(store, account_id, service_id);
	const token = createFeedToken();
	const feed = {
		_id: await feeds.nextId(),
		...service,
		hash: hashFeedToken(token),
		include_customers: body.include_customers ?? false,
		created_at: timestamp(clock.now()),
	};
	return changes.run(serviceKey(service), async () => {
		for (;;) {
			const place = await feeds.freePlace(service);
			if (place === undefined) throw new ApiError('calendar_feeds_limit_reached');
			deadline.assertTimeLeft();
			const isThere = await underDeadline(deadline, () => feeds.insert({ ...feed, place }));
			if (isThere) return { ...toFeed({ ...feed, place }), address: addressOfFeed(token) };
			await delay(Math.random() * 5); // what took the allotment may not be visible yet
		}
	});
}

/** @throws service_not_found */
export async function listFeeds(
	{ store }: Catalog,
	{ account_id, service_id }: Params<'catalog.listFeeds'>,
): Promise<CalendarFeed[]> {
	await findService(store, account_id, service_id);
	return (await store.feeds.ofService({ account_id, service_id })).map(toFeed);
}

/** @throws service_not_found, calendar_feed_not_found */
export async function deleteFeed(
	catalog: Catalog,
	{ account_id, service_id, feed_id }: Params<'catalog.deleteFeed'>,
	request: Request,
): Promise<'ok'> {
	const { feeds, removals, clock } = catalog.store;
	await findService(catalog.store, account_id, service_id);
	const service = { account_id, service_id };
	const removed = { ...service, kind: 'calendar feed', id: feed_id } as const;
	const remove = async () => {
		if (!(await feeds.has(service, feed_id))) throw new ApiError('calendar_feed_not_found');
		const wasThere = await underDeadline(request.deadline, async () => {
			await removals.note(removed, clock.now());
			return feeds.remove(service, feed_id);
		});
		if (!wasThere) throw new ApiError('calendar_feed_not_found');
	};
	return deleteOnce('calendar_feed_not_found', request.deadline, remove, () => removals.isUnanswered(removed));
}

/** Read anew each time, so that a feed which was deleted is gone at once, everywhere. */
export async function findFeed({ store }: Catalog, hash: string): Promise<FoundFeed | null> {
	const feed = await store.feeds.byHash(hash);
	if (feed === null) return null;
	const { _id: feed_id, account_id, service_id, include_customers } = feed;
	const service = await store.services.find(account_id, service_id);
	if (!service || service.deleted_at !== null) return null;
	return { feed_id, account_id, service_id, include_customers, service_name: service.name };
}

function toFeed({ _id: id, service_id, include_customers, created_at }: FeedRow): CalendarFeed {
	return { id, service_id, include_customers, created_at };
}
