import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

/*
 * Node keeps what it compiles beside the packages, types stripped: the next start compiles nothing and takes half the
 * time. It is written when a process ends, and where it cannot be, nothing else changes. Not in the system's temporary
 * directory, which is Node's default: there, others could put code before us. `NODE_DISABLE_COMPILE_CACHE=1` turns it off.
 *
 * So this file is JavaScript, and loads the rest only now: the first TypeScript without the cache costs 80 ms.
 */
enableCompileCache(join(import.meta.dirname, 'node_modules/.cache/slotwise'));

const { brokerOptions } = await import('./moleculer.config.ts');
const { runProcess } = await import('./shared/runtime/run-process.ts');

// A process loads the services that it runs.
await runProcess(brokerOptions, {
	gateway: async () => (await import('./services/gateway/gateway.service.ts')).gatewayService,
	accounts: async () => (await import('./services/accounts/accounts.service.ts')).accountsService,
	catalog: async () => (await import('./services/catalog/catalog.service.ts')).catalogService,
	booking: async () => (await import('./services/booking/booking.service.ts')).bookingService,
	customer: async () => (await import('./services/customer/customer.service.ts')).customerService,
	notifications: async () => (await import('./services/notifications/notifications.service.ts')).notificationsService,
});
