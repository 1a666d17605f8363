import { brokerOptions } from './moleculer.config.ts';
import { runProcess } from './shared/process/run-process.ts';

// A process loads the services that it runs.
const services = {
	gateway: async () => (await import('./services/gateway/gateway.service.ts')).gatewayService,
	accounts: async () => (await import('./services/accounts/accounts.service.ts')).accountsService,
	catalog: async () => (await import('./services/catalog/catalog.service.ts')).catalogService,
	booking: async () => (await import('./services/booking/booking.service.ts')).bookingService,
	customer: async () => (await import('./services/customer/customer.service.ts')).customerService,
	notifications: async () => (await import('./services/notifications/notifications.service.ts')).notificationsService,
};

await runProcess(brokerOptions, services, {
	serveCommands: async (...process) => (await import('./ops/channel/socket-server.ts')).serveCommands(...process),
	startRepl: async (...process) => (await import('./ops/repl.ts')).startRepl(...process),
});
