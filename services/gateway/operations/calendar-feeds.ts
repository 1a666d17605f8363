import {
	CalendarFeedList,
	CreateCalendarFeed,
	MOST_FEEDS,
	NewCalendarFeed,
} from '../../../shared/contract/schemas/calendar-feed.ts';
import { DEFAULT_PAGE_SIZE, Page, PageSize, pagination } from '../../../shared/contract/schemas/pagination.ts';
import { Id, Type } from '../../../shared/contract/schemas/schema.ts';
import { MOST_BOOKINGS } from '../calendar/calendar-feed.ts';
import { calendarFeedExample, newCalendarFeedExample } from './examples.ts';
import { type Operation, operation } from './operation.ts';
import { offsetOf } from './pieces.ts';

const path = Type.Object({ serviceID: Id('Service') });

/** In the order of the reference. */
export const calendarFeedsOperations: readonly Operation[] = [
	operation({
		id: 'createCalendarFeed',
		method: 'POST',
		path: '/v1/services/{serviceID}/calendar-feeds',
		action: 'catalog.createFeed',
		scope: 'write',
		tag: 'Services',
		summary: 'Create a calendar feed',
		description:
			'Makes a secret address at which programs for calendars read the bookings of the service, without a key and without ' +
			'the envelope: `GET` answers `text/calendar` (RFC 5545), with an `ETag`, once a minute and feed. It shows bookings ' +
			`that begin from 30 days ago to a year ahead, at most ${MOST_BOOKINGS}. The answer has the address, which is shown ` +
			`this once; whoever has it reads the feed, until it is deleted. A service has at most ${MOST_FEEDS}.`,
		parameters: { path },
		body: { schema: CreateCalendarFeed, resource: NewCalendarFeed, example: { include_customers: true } },
		answer: {
			status: 201,
			schema: NewCalendarFeed,
			description: 'The new calendar feed with its address',
			example: newCalendarFeedExample,
		},
		errors: ['service_not_found', 'calendar_feeds_limit_reached'],
		headers: {},
		async run({ path: { serviceID }, body, call }) {
			return { data: await call('catalog.createFeed', { service_id: serviceID, body }) };
		},
	}),
	operation({
		id: 'listCalendarFeeds',
		method: 'GET',
		path: '/v1/services/{serviceID}/calendar-feeds',
		action: 'catalog.listFeeds',
		scope: 'read',
		tag: 'Services',
		summary: 'List calendar feeds',
		description: 'Lists the calendar feeds of a service by id, without their addresses. A page past the end is empty.',
		parameters: { path, query: Type.Object({ page: Type.Optional(Page), page_size: Type.Optional(PageSize) }) },
		answer: {
			status: 200,
			schema: CalendarFeedList,
			description: 'One page of calendar feeds',
			example: { calendar_feeds: [calendarFeedExample], pagination: pagination(1, DEFAULT_PAGE_SIZE, 1) },
		},
		errors: ['service_not_found'],
		headers: {},
		async run({ path: { serviceID }, query: { page = 1, page_size = DEFAULT_PAGE_SIZE }, call }) {
			const feeds = await call('catalog.listFeeds', { service_id: serviceID });
			const first = offsetOf(page, page_size);
			const calendar_feeds = feeds.slice(first, first + page_size);
			return { data: { calendar_feeds, pagination: pagination(page, page_size, feeds.length) } };
		},
	}),
	operation({
		id: 'deleteCalendarFeed',
		method: 'DELETE',
		path: '/v1/services/{serviceID}/calendar-feeds/{feedID}',
		action: 'catalog.deleteFeed',
		scope: 'write',
		tag: 'Services',
		summary: 'Delete a calendar feed',
		description: 'From the answer on, its address leads to nothing.',
		parameters: { path: Type.Object({ ...path.properties, feedID: Id('Calendar feed') }) },
		answer: { status: 200, schema: Type.Literal('ok'), description: 'It is gone', example: 'ok' },
		errors: ['service_not_found', 'calendar_feed_not_found'],
		headers: {},
		async run({ path: { serviceID, feedID }, call }) {
			const data = await call('catalog.deleteFeed', { service_id: serviceID, feed_id: feedID });
			const removed = { service_id: serviceID, kind: 'calendar feed', id: feedID } as const;
			return { data, sent: () => call('catalog.removalAnswered', removed) };
		},
	}),
];
