/** What a simulated process runs: the shipped services, and what starts them. It is bundled for each version apart. */
import { brokerOptions } from '../../moleculer.config.ts';
import { readConfig, type ServiceName } from '../../shared/config/config.ts';
import { describeError, type Logger } from '../../shared/log/log.ts';
import type { ServiceFactory } from '../../shared/process/dependencies.ts';
import { type RunningProcess, startProcess } from '../../shared/process/start-process.ts';

export { describeError };

/** Each loaded where a process runs it only, as `main.ts` does. */
export const load: Record<ServiceName, () => Promise<ServiceFactory>> = {
	gateway: async () => (await import('../../services/gateway/gateway.service.ts')).gatewayService,
	accounts: async () => (await import('../../services/accounts/accounts.service.ts')).accountsService,
	catalog: async () => (await import('../../services/catalog/catalog.service.ts')).catalogService,
	booking: async () => (await import('../../services/booking/booking.service.ts')).bookingService,
	customer: async () => (await import('../../services/customer/customer.service.ts')).customerService,
	notifications: async () =>
		(await import('../../services/notifications/notifications.service.ts')).notificationsService,
};

/** As `run-process.ts` does it, without the operating system's signals. */
export async function start(environment: Record<string, string>, logger: Logger): Promise<RunningProcess> {
	const config = readConfig(environment);
	const factories = await Promise.all(config.services.map(async (name) => [name, await load[name]()] as const));
	return startProcess(config, logger, brokerOptions(config, logger), new Map(factories), async () => undefined);
}
