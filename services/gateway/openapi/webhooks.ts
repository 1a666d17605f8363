import { type TSchema, Type } from 'typebox';
import {
	BookingEvent,
	BookingEventType,
	CustomerErased,
	type EventType,
} from '../../../shared/contract/schemas/event.ts';
import { Timestamp } from '../../../shared/contract/schemas/schema.ts';
import { TEST_EVENT } from '../../../shared/contract/schemas/webhook.ts';
import { customerErasedExample, eventExample } from '../operations/examples.ts';
import { schemaOf } from './components.ts';

const SUMMARIES: Record<EventType, string> = {
	'booking.created': 'A booking was made',
	'booking.confirmed': 'A booking was confirmed',
	'booking.cancelled': 'A booking was cancelled',
	'booking.updated': 'A booking, or its customer, was changed',
	'booking.deleted': 'A booking was removed; its last state',
	'customer.erased': 'A person was erased; of which bookings',
};

const header = (name: string, description: string, example: string) => ({
	name,
	in: 'header',
	required: true,
	description,
	schema: { type: 'string' },
	example,
});

/** The headers of Standard Webhooks 1.0. */
const HEADERS = [
	header('webhook-id', 'Id of the event, the same in every attempt: tell duplicates by it', 'evt_1_1'),
	header('webhook-timestamp', 'Unix time of the attempt in s; refuse what is older than 5 minutes', '1795253400'),
	header(
		'webhook-signature',
		'HMAC-SHA256 of `<id>.<timestamp>.<body>` with your secret, `v1,` and base64; several, separated by spaces, during ' +
			'a rotation',
		'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
	),
];

/** What is posted to the URLs of webhooks, by the type of the event. */
export function webhooks(): Record<string, unknown> {
	const { id: _id, type: _type, ...fields } = BookingEvent.properties;
	const { id: _, type: __, ...example } = eventExample;
	const ofBookings = BookingEventType.anyOf.map(({ const: type }) => {
		const schema = Type.Object({ type: Type.Literal(type), ...fields });
		return [type, delivery(type, SUMMARIES[type], schema, { type, ...example })];
	});
	const { id: _erasureId, ...erasedFields } = CustomerErased.properties;
	const { id: __erasureId, ...erasedExample } = customerErasedExample;
	const erased = delivery('customer.erased', SUMMARIES['customer.erased'], Type.Object(erasedFields), erasedExample);
	const test = Type.Object({
		type: Type.Literal(TEST_EVENT),
		timestamp: Timestamp('When it was asked for'),
		data: Type.Object({ webhook_id: Type.Integer({ minimum: 1 }) }),
	});
	const tested = { type: TEST_EVENT, timestamp: example.timestamp, data: { webhook_id: 1 } };
	return Object.fromEntries([
		...ofBookings,
		['customer.erased', erased],
		[TEST_EVENT, delivery(TEST_EVENT, 'You asked for a test', test, tested)],
	]);
}

function delivery(type: string, summary: string, schema: TSchema, example: unknown): unknown {
	return {
		post: {
			operationId: `on${type.replaceAll(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
			tags: ['Webhooks'],
			summary,
			description:
				'Answer any 2xx within 15 s; all else is tried again, ten times within three days. At least once, in no ' +
				'promised order: `sequence` tells the order, and `GET /v1/events` has what is missing.',
			security: [],
			parameters: HEADERS,
			requestBody: { required: true, content: { 'application/json': { schema: schemaOf(schema), example } } },
			responses: {
				'2XX': { description: 'It has arrived' },
				410: { description: 'The endpoint is gone for good: the webhook is disabled' },
				default: { description: 'It is tried again' },
			},
		},
	};
}
