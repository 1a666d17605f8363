import type { TSchema } from 'typebox';
import { Availability, AvailabilityEntry } from '../../../shared/contract/schemas/availability.ts';
import * as booking from '../../../shared/contract/schemas/booking.ts';
import { Delivery, DeliveryAttempt, DeliveryList, DeliveryStatus } from '../../../shared/contract/schemas/delivery.ts';
import { BookingEvent, EventList, EventType } from '../../../shared/contract/schemas/event.ts';
import { Pagination } from '../../../shared/contract/schemas/pagination.ts';
import { Package, Provider, Role } from '../../../shared/contract/schemas/provider.ts';
import * as service from '../../../shared/contract/schemas/service.ts';
import * as timeSlot from '../../../shared/contract/schemas/time-slot.ts';
import { Usage } from '../../../shared/contract/schemas/usage.ts';
import * as webhook from '../../../shared/contract/schemas/webhook.ts';
import { literals } from '../validation/json-schema.ts';

/** Schemas that the document names; wherever one of them is used, it is referred to. */
const named: Record<string, TSchema> = {
	Service: service.Service,
	Provider,
	Role,
	Package,
	TimeSlot: timeSlot.TimeSlot,
	Booking: booking.Booking,
	BookingStatus: booking.BookingStatus,
	Customer: booking.Customer,
	AvailabilityEntry,
	Event: BookingEvent,
	EventType,
	Pagination,
	CreateService: service.CreateService,
	UpdateService: service.UpdateService,
	ServiceList: service.ServiceList,
	TimeSlotInput: timeSlot.TimeSlotInput,
	TimeSlotChange: timeSlot.TimeSlotChange,
	UpdateTimeSlots: timeSlot.UpdateTimeSlots,
	TimeSlotList: timeSlot.TimeSlotList,
	Availability,
	CreateBooking: booking.CreateBooking,
	UpdateBooking: booking.UpdateBooking,
	BookingList: booking.BookingList,
	UpdateCustomer: booking.UpdateCustomer,
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
		if (key === 'format' && typeof value === 'string' && value in OWN_FORMATS) Object.assign(copy, OWN_FORMATS[value]);
		else copy[key] = schemaOf(value);
	}
	return copy;
}

/** A choice of texts is an `enum`, which generators and readers know better. */
function without(schema: object, name: string): object {
	return Object.fromEntries(Object.entries(schema).filter(([key]) => key !== name));
}
