/** What a simulated process runs: the shipped services, and what starts them. It is bundled for each version apart. */
import { brokerOptions } from '../../moleculer.config.ts';
import { accountsService } from '../../services/accounts/accounts.service.ts';
import { bookingService } from '../../services/booking/booking.service.ts';
import { catalogService } from '../../services/catalog/catalog.service.ts';
import { customerService } from '../../services/customer/customer.service.ts';
import { gatewayService } from '../../services/gateway/gateway.service.ts';
import { notificationsService } from '../../services/notifications/notifications.service.ts';
import { readConfig, type ServiceName } from '../../shared/config/config.ts';
import { describeError, type Logger } from '../../shared/log/log.ts';
import type { ServiceFactory } from '../../shared/process/dependencies.ts';
import { type RunningProcess, startProcess } from '../../shared/process/start-process.ts';

export { describeError };

const factories: Record<ServiceName, ServiceFactory> = {
	gateway: gatewayService,
	accounts: accountsService,
	catalog: catalogService,
	booking: bookingService,
	customer: customerService,
	notifications: notificationsService,
};

/** As `run-process.ts` does it, without the operating system's signals. */
export function start(environment: Record<string, string>, logger: Logger): Promise<RunningProcess> {
	const config = readConfig(environment);
	const chosen = config.services.map((name) => [name, factories[name]] as const);
	return startProcess(config, logger, brokerOptions(config, logger), new Map(chosen), async () => undefined);
}
