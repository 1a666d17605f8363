import { brokerOptions } from './moleculer.config.ts';
import { accountsService } from './services/accounts/accounts.service.ts';
import { bookingService } from './services/booking/booking.service.ts';
import { catalogService } from './services/catalog/catalog.service.ts';
import { customerService } from './services/customer/customer.service.ts';
import { gatewayService } from './services/gateway/gateway.service.ts';
import { notificationsService } from './services/notifications/notifications.service.ts';
import { configOrExit } from './shared/config/config-or-exit.ts';
import { createLogger } from './shared/log.ts';
import { CannotStart } from './shared/runtime/cannot-start.ts';
import { greet } from './shared/runtime/greet.ts';
import { type RunningProcess, startProcess } from './shared/runtime/start-process.ts';

const DRAIN_LIMIT = 14_000; // ms; an orchestrator is told 15 s

const config = configOrExit();
const logger = createLogger(config);
let running: RunningProcess | undefined;
// Before the start: as a container's first process it would not even notice a signal without a handler.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop(signal));
process.on('unhandledRejection', (error) => logger.error({ err: error }, 'unhandled rejection'));
running = await startProcess(config, logger, brokerOptions(config, logger), {
	gateway: gatewayService,
	accounts: accountsService,
	catalog: catalogService,
	booking: bookingService,
	customer: customerService,
	notifications: notificationsService,
}).catch((error: unknown) => {
	if (error instanceof CannotStart) process.stderr.write(`${error.message}\n`);
	else logger.fatal({ err: error }, 'could not start');
	process.exit(1);
});

greet(running.broker, config);
if (process.argv.includes('--repl')) {
	const { startRepl } = await import('./shared/ops/repl.ts');
	startRepl(running.broker, config.namespace, () => stop('end of the REPL'));
}

/** Running requests end, then the process; a hung one is cut off. One that has not started yet has nothing to end. */
async function stop(signal: string): Promise<void> {
	logger.info({ signal }, 'stopping');
	setTimeout(() => process.exit(1), DRAIN_LIMIT).unref();
	await running?.stop();
	logger.info('stopped');
	process.exit(0);
}
