import { brokerOptions } from './moleculer.config.ts';
import { runProcess } from './shared/runtime/run-process.ts';

// A process loads the services that it runs.
await runProcess(brokerOptions, {
	gateway: async () => (await import('./services/gateway/gateway.service.ts')).gatewayService,
	accounts: async () => (await import('./services/accounts/accounts.service.ts')).accountsService,
	catalog: async () => (await import('./services/catalog/catalog.service.ts')).catalogService,
	booking: async () => (await import('./services/booking/booking.service.ts')).bookingService,
	customer: async () => (await import('./services/customer/customer.service.ts')).customerService,
	notifications: async () => (await import('./services/notifications/notifications.service.ts')).notificationsService,
});
