import { getBookingCustomer, updateBookingCustomer } from './booking-customers.ts';
import { createBooking, deleteBooking, getBooking, listBookings, updateBooking } from './bookings.ts';
import { listDeliveries, recoverWebhook, redeliver, testWebhook } from './deliveries.ts';
import { listEvents } from './events.ts';
import type { Operation } from './operation.ts';
import { createService, deleteService, getService, listServices, updateService } from './services.ts';
import { getServiceAvailability, listServiceTimeSlots, listTimeSlots, updateTimeSlots } from './time-slots.ts';
import { getUsage } from './usage.ts';
import {
	createWebhook,
	deleteWebhook,
	getWebhook,
	listWebhooks,
	rotateWebhookSecret,
	updateWebhook,
} from './webhooks.ts';

/** THE TABLE: every operation of the API, in the order of the reference. */
export const operations: readonly Operation[] = [
	createService,
	listServices,
	getService,
	updateService,
	deleteService,
	listServiceTimeSlots,
	listTimeSlots,
	updateTimeSlots,
	getServiceAvailability,
	createBooking,
	listBookings,
	getBooking,
	updateBooking,
	deleteBooking,
	getBookingCustomer,
	updateBookingCustomer,
	listEvents,
	createWebhook,
	listWebhooks,
	getWebhook,
	updateWebhook,
	deleteWebhook,
	rotateWebhookSecret,
	testWebhook,
	listDeliveries,
	redeliver,
	recoverWebhook,
	getUsage,
];
