import type { Server } from 'node:http';
import type { BrokerOptions, ServiceBroker } from 'moleculer';
import { type Config, configOrExit, type ServiceName } from '../config/config.ts';
import { openServers } from '../config/open-servers.ts';
import { createLogger, type Logger } from '../log/log.ts';
import { addressOf } from './admin-server.ts';
import { CannotStart } from './cannot-start.ts';
import type { Operators, ServiceFactory } from './dependencies.ts';
import { type RunningProcess, startProcess } from './start-process.ts';

const DRAIN_LIMIT = 14_000; // ms; an orchestrator is told 15 s

/**
 * The life of a process: configuration, start, signals, end.
 * @param load loads a service; called for those that this process runs
 */
export async function runProcess(
	options: (config: Config, logger: Logger) => BrokerOptions,
	load: Readonly<Record<ServiceName, () => Promise<ServiceFactory>>>,
	operators: Operators,
): Promise<void> {
	const config = configOrExit();
	const logger = createLogger(config);
	warnOfOpenServers(config, logger);
	let running: RunningProcess | undefined;

	let stopping = false;

	/** Running requests end, then the process; a hung one is cut off. One that has not started yet has nothing to end. */
	const stop = async (signal: string) => {
		if (stopping) return; // Ctrl+C below npm comes twice: from the terminal, and from npm
		stopping = true;
		logger.info({ signal }, 'stopping');
		setTimeout(() => process.exit(1), DRAIN_LIMIT).unref();
		await running?.stop();
		logger.info('stopped');
		process.exit(0);
	};

	// Before the start: as a container's first process it would not even notice a signal without a handler.
	for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal));
	process.on('unhandledRejection', (error) => logger.error({ err: error }, 'unhandled rejection'));
	try {
		const factories = await Promise.all(config.services.map(async (name) => [name, await load[name]()] as const));
		running = await startProcess(config, logger, options(config, logger), new Map(factories), operators.serveCommands);
	} catch (error) {
		if (!(error instanceof CannotStart)) {
			logger.fatal({ err: error }, 'could not start');
			process.exit(1);
		}
		process.stderr.write(`${error.message}\n`);
		process.exit(error.exitCode);
	}
	greet(running.broker, config);
	if (process.argv.includes('--repl')) {
		await operators.startRepl(running.broker, config, () => stop('end of the REPL'));
	}
}

/** Whoever reaches such a server can book, read and change for every account. */
function warnOfOpenServers(config: Config, logger: Logger): void {
	const open = config.form === 'cluster' ? openServers(config) : [];
	if (open.length === 0) return;
	logger.warn({ open }, 'servers without TLS and without a password: whoever reaches them can do everything');
}

interface Accounts {
	takeDemoKey(): string | undefined;
}

/** What a person needs who has just started Slotwise: the address, and at the first start a key and a line to try. */
function greet(broker: ServiceBroker, config: Config): void {
	const gateway = broker.getLocalService('gateway') as unknown as { server: Server } | undefined;
	const accounts = broker.getLocalService('accounts') as unknown as Accounts | undefined;
	const url = gateway && addressOf(gateway.server);
	const key = accounts?.takeDemoKey();
	const lines = [
		...(key === undefined
			? []
			: [`Demo account on the Developer package. Its API key is shown only this once:\n\n  ${key}\n`]),
		...(key === undefined || url === undefined
			? []
			: [`Open the console with it, or make a first service with a time slot:\n\n${firstCall(url, key)}\n`]),
		...(url === undefined || (key === undefined && config.logFormat === 'json')
			? []
			: [`Console ${url}/console, reference ${url}/docs, API ${url}/v1\n`]),
	];
	if (lines.length > 0) process.stdout.write(`\n${lines.join('\n')}\n`);
}

function firstCall(url: string, key: string): string {
	const slot = '{"day_of_week":1,"start_time":"2026-01-05 09:00:00","end_time":"2026-01-05 10:00:00","max_bookings":4}';
	return [
		`  curl -s ${url}/v1/services -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' \\`,
		`    -d '{"name":"Piano lesson","timezone":"Europe/Berlin","time_slots":[${slot}]}'`,
	].join('\n');
}
