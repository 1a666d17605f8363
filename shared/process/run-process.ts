import type { BrokerOptions } from 'moleculer';
import type { Config, ServiceName } from '../config/config.ts';
import { configOrExit } from '../config/config-or-exit.ts';
import { createLogger, type Logger } from '../log/log.ts';
import { CannotStart } from './cannot-start.ts';
import type { ServiceFactory } from './dependencies.ts';
import { greet } from './greet.ts';
import type { Operators } from './operators.ts';
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
		if (error instanceof CannotStart) process.stderr.write(`${error.message}\n`);
		else logger.fatal({ err: error }, 'could not start');
		process.exit(1);
	}
	greet(running.broker, config);
	if (process.argv.includes('--repl')) {
		await operators.startRepl(running.broker, config.namespace, () => stop('end of the REPL'));
	}
}
