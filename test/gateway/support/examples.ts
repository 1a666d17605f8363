import {
	availabilityExample,
	bookingExample,
	dateOverrideExample,
	deliveryExample,
	eventExample,
	impactExample,
	serviceExample,
	timeSlotExample,
	usageExample,
	webhookExample,
	webhookWithSecretExample,
} from '../../../services/gateway/operations/examples.ts';
import { pagination } from '../../../shared/contract/schemas/pagination.ts';
import type { Backend } from './start-gateway.ts';

export { availabilityExample, bookingExample, eventExample, impactExample, serviceExample, timeSlotExample };

/** Every action of the table, answering the reference's examples. */
export const exampleBackend: Backend = {
	'catalog.createService': () => ({ data: serviceExample, replayed: false }),
	'catalog.listServices': ({ page, page_size }) => ({
		services: [serviceExample],
		pagination: pagination(page, page_size, 1),
	}),
	'catalog.getService': () => serviceExample,
	'catalog.updateService': () => serviceExample,
	'catalog.previewService': () => ({ data: { ...serviceExample, impact: impactExample }, version: 1 }),
	'catalog.deleteService': () => 'ok',
	'catalog.deletionAnswered': () => 'ok',
	'catalog.listSlots': ({ page, page_size }) => ({
		time_slots: [timeSlotExample],
		cut: '0',
		pagination: pagination(page, page_size, 1),
	}),
	'booking.alternatives': () => [],
	'catalog.createOverride': () => dateOverrideExample,
	'catalog.previewOverride': () => ({ ...dateOverrideExample, id: null, impact: impactExample }),
	'catalog.listOverrides': () => ({ date_overrides: [dateOverrideExample], total: 1, cut: '1' }),
	'catalog.deleteOverride': () => 'ok',
	'catalog.updateSlots': () => ({ time_slots: [timeSlotExample] }),
	'catalog.previewSlots': () => ({ time_slots: [timeSlotExample], impact: impactExample }),
	'booking.availability': () => ({ availability: [availabilityExample], next: null }),
	'booking.create': () => ({ data: bookingExample, replayed: false }),
	'booking.list': () => ({ bookings: [bookingExample], total_items: 1, cut: '0' }),
	'booking.get': () => bookingExample,
	'booking.update': () => bookingExample,
	'booking.delete': () => 'ok',
	'booking.deletionAnswered': () => 'ok',
	'booking.getCustomer': () => ({ customer: bookingExample.customer, version: bookingExample.version }),
	'booking.updateCustomer': () => ({ customer: bookingExample.customer, version: bookingExample.version }),
	'accounts.usage': () => usageExample,
	'notifications.listEvents': () => ({ events: [eventExample], has_more: false, next_after: eventExample.sequence }),
	'notifications.createWebhook': () => ({ data: webhookWithSecretExample, replayed: false }),
	'notifications.listWebhooks': ({ page, page_size }) => ({
		webhooks: [webhookExample],
		pagination: pagination(page, page_size, 1),
	}),
	'notifications.getWebhook': () => webhookExample,
	'notifications.updateWebhook': () => webhookExample,
	'notifications.deleteWebhook': () => 'ok',
	'notifications.deletionAnswered': () => 'ok',
	'notifications.rotateWebhookSecret': () => webhookWithSecretExample,
	'notifications.listDeliveries': () => ({ deliveries: [deliveryExample], total_items: 1 }),
	'notifications.redeliver': () => deliveryExample,
	'notifications.testWebhook': () => deliveryExample,
	'notifications.recoverWebhook': () => 'ok',
};
