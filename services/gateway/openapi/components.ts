import type { TSchema } from 'typebox';
import {
	Alternative,
	Availability,
	AvailabilityEntry,
	ServiceAvailabilityEntry,
	ServicesAvailability,
} from '../../../shared/contract/schemas/availability.ts';
import * as booking from '../../../shared/contract/schemas/booking.ts';
import {
	CalendarFeed,
	CalendarFeedList,
	CreateCalendarFeed,
	NewCalendarFeed,
} from '../../../shared/contract/schemas/calendar-feed.ts';
import { CustomerList, DirectoryCustomer, PersonExport } from '../../../shared/contract/schemas/customer.ts';
import {
	CreateDateOverride,
	DateOverride,
	DateOverrideList,
	DateOverridePreview,
} from '../../../shared/contract/schemas/date-override.ts';
import { Delivery, DeliveryAttempt, DeliveryList, DeliveryStatus } from '../../../shared/contract/schemas/delivery.ts';
import {
	BookingEvent,
	BookingEventType,
	CustomerErased,
	Event,
	EventList,
	EventType,
	Previous,
} from '../../../shared/contract/schemas/event.ts';
import { Impact } from '../../../shared/contract/schemas/impact.ts';
import { Pagination } from '../../../shared/contract/schemas/pagination.ts';
import { Package, Provider, Role } from '../../../shared/contract/schemas/provider.ts';
import { Rules } from '../../../shared/contract/schemas/rules.ts';
import {
	ReplaceSchedule,
	Schedule,
	ScheduledSlot,
	SchedulePreview,
} from '../../../shared/contract/schemas/schedule.ts';
import * as service from '../../../shared/contract/schemas/service.ts';
import * as timeSlot from '../../../shared/contract/schemas/time-slot.ts';
import { Usage } from '../../../shared/contract/schemas/usage.ts';
import * as webhook from '../../../shared/contract/schemas/webhook.ts';
import type { HeaderRules } from '../operations/operation.ts';
import { type JsonSchema, literals } from '../validation/json-schema.ts';

/** Schemas that the document names; wherever one of them is used, it is referred to. */
const named: Record<string, TSchema> = {
	Service: service.Service,
	Provider,
	Role,
	Package,
	TimeSlot: timeSlot.TimeSlot,
	Rules,
	Schedule,
	ScheduledSlot,
	ReplaceSchedule,
	SchedulePreview,
	CalendarFeed,
	NewCalendarFeed,
	CreateCalendarFeed,
	CalendarFeedList,
	DateOverride,
	CreateDateOverride,
	DateOverrideList,
	Impact,
	DateOverridePreview,
	ServicePreview: service.ServicePreview,
	UpdatedTimeSlots: timeSlot.UpdatedTimeSlots,
	TimeSlotsPreview: timeSlot.TimeSlotsPreview,
	Booking: booking.Booking,
	BookingStatus: booking.BookingStatus,
	Customer: booking.Customer,
	DirectoryCustomer,
	AvailabilityEntry,
	ServiceAvailabilityEntry,
	Alternative,
	Event,
	BookingEvent,
	CustomerErased,
	EventType,
	BookingEventType,
	Previous,
	Pagination,
	CreateService: service.CreateService,
	UpdateService: service.UpdateService,
	ServiceList: service.ServiceList,
	TimeSlotInput: timeSlot.TimeSlotInput,
	TimeSlotChange: timeSlot.TimeSlotChange,
	UpdateTimeSlots: timeSlot.UpdateTimeSlots,
	TimeSlotList: timeSlot.TimeSlotList,
	Availability,
	ServicesAvailability,
	CreateBooking: booking.CreateBooking,
	UpdateBooking: booking.UpdateBooking,
	BookingList: booking.BookingList,
	UpdateCustomer: booking.UpdateCustomer,
	CustomerList,
	PersonExport,
	EventList,
	Usage,
	Webhook: webhook.Webhook,
	WebhookWithSecret: webhook.WebhookWithSecret,
	CreateWebhook: webhook.CreateWebhook,
	UpdateWebhook: webhook.UpdateWebhook,
	WebhookList: webhook.WebhookList,
	RecoverWebhook: webhook.RecoverWebhook,
	Delivery,
	DeliveryAttempt,
	DeliveryStatus,
	DeliveryList,
};
const names = new Map(Object.entries(named).map(([name, schema]) => [schema as unknown, name]));

/** Formats that only we know, as what every reader of JSON Schema understands. */
const OWN_FORMATS: Record<string, object> = {
	text: {},
	name: {},
	'time-zone': {},
	e164: {},
	'local-date-time': { pattern: '^\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}$' },
};

/** A schema as the document shows it: named ones by reference. */
export function schemaOf(schema: TSchema): unknown {
	const name = names.get(schema);
	return name === undefined ? expanded(schema) : { $ref: `#/components/schemas/${name}` };
}

export const schemas = Object.fromEntries(Object.entries(named).map(([name, schema]) => [name, expanded(schema)]));

function expanded(schema: unknown): unknown {
	if (Array.isArray(schema)) return schema.map((item) => schemaOf(item));
	if (typeof schema !== 'object' || schema === null) return schema;
	const values = literals(schema);
	if (values !== undefined && values.length > 1) return { ...without(schema, 'anyOf'), type: 'string', enum: values };
	const copy: Record<string, unknown> = {};
	for (const [key, value] of Object.entries(schema)) {
		if (key === 'maximum' && value === Number.MAX_SAFE_INTEGER) continue; // a positive integer, which readers see by its minimum
		if (key === 'format' && typeof value === 'string' && value in OWN_FORMATS) Object.assign(copy, OWN_FORMATS[value]);
		else copy[key] = schemaOf(value);
	}
	return copy;
}

/** A choice of texts is an `enum`, which generators and readers know better. */
function without(schema: object, name: string): object {
	return Object.fromEntries(Object.entries(schema).filter(([key]) => key !== name));
}

/** Is there on every answer that is said to have it. */
const always = (description: string, example: string) => ({ ...text(description, example), required: true });

const text = (description: string, example: string) => ({ description, schema: { type: 'string' }, example });

const integer = (description: string, minimum: number, example: number) => ({
	description,
	schema: { type: 'integer', minimum },
	example,
});

/** Headers of answers. */
export const headers = {
	'X-Request-Id': always(
		'Identifies the request in the logs; an incoming one is kept',
		'c0ffee00-7b1d-4a3e-9d52-5a0e8f1c2b3d',
	),
	ETag: always('The version, in quotes', '"1"'),
	Location: always('Path of the new resource', '/v1/bookings/1'),
	'Idempotent-Replayed': text('`true` where this is the first answer of an Idempotency-Key', 'true'),
	'Retry-After': integer('Seconds after which to try again', 1, 1),
	'X-RateLimit-Limit': integer('Requests at once that the plan allows; absent where it has no rate', 1, 20),
	'X-RateLimit-Remaining': integer('How many of them are left now', 0, 19),
	'X-RateLimit-Reset': integer('Unix time in seconds at which all of them are there again', 0, 1_795_000_000),
	'WWW-Authenticate': always('The scheme to authenticate with', 'Bearer'),
};

const parameter = (name: string, description: string, example: string) => ({
	name,
	in: 'header',
	required: false,
	description,
	schema: { type: 'string' },
	...exampleOf({ examples: [example] }, false),
});

/** Headers of requests, by their name in `components.parameters`. */
export const headerParameters = {
	RequestId: parameter('X-Request-Id', '1 to 128 of `A-Za-z0-9._-`; comes back with the answer', 'import-2026-11-21'),
	IfMatch: parameter('If-Match', 'Versions of which one must be the current one, or `*`; else 412', '"1"'),
	IfNoneMatch: parameter('If-None-Match', 'Versions that the client has; 304 where one is the current one', '"1"'),
	IdempotencyKey: parameter(
		'Idempotency-Key',
		'1 to 255 visible ASCII characters. A repeated request with the same key gets the first answer, for at least 24 hours',
		'6f1e9c1e-0d7b-4b0c-9a55-7d2f0e6d5b11',
	),
};

export const RATE_HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'] as const;

type Parameter = keyof typeof headerParameters;
type Header = keyof typeof headers;

export function requestHeaders(rules: HeaderRules): unknown[] {
	const names: Parameter[] = ['RequestId'];
	if (rules.ifMatch) names.push('IfMatch');
	if (rules.ifNoneMatch) names.push('IfNoneMatch');
	if (rules.idempotencyKey) names.push('IdempotencyKey');
	return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

export function answerHeaders(rules: HeaderRules): Record<string, unknown> {
	const names: Header[] = ['X-Request-Id', ...RATE_HEADERS];
	if (rules.etag) names.push('ETag');
	if (rules.location) names.push('Location');
	if (rules.idempotencyKey) names.push('Idempotent-Replayed');
	return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/**
 * A parameter's example. The reference's try-it-out does not fill in an optional one, because of `x-disabled`: an
 * Idempotency-Key that everybody sends would replay the first answer to all of them.
 */
export function exampleOf(schema: JsonSchema, filledIn: boolean): Record<string, unknown> {
	const value = exampleValue(schema);
	if (value === undefined) return {};
	return { examples: { default: { value, ...(!filledIn && { 'x-disabled': true }) } } };
}

/** Where the schema has no example, the first of its choices. */
function exampleValue(schema: JsonSchema): unknown {
	const { type, examples, items, minimum } = schema;
	if (examples !== undefined) return examples[0];
	if (type === 'array') return [exampleValue(items!)];
	if (type === 'boolean') return true;
	return literals(schema)?.[0] ?? minimum;
}
