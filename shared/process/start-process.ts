import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { type BrokerOptions, ServiceBroker } from 'moleculer';
import { durableAnswers } from '../bus/call-context.ts';
import type { Config, ServiceName } from '../config/config.ts';
import { systemClock } from '../engine/clock.ts';
import type { FairLock } from '../lock/fair-lock.ts';
import { localFairLock } from '../lock/local-fair-lock.ts';
import { redisFairLock } from '../lock/redis-fair-lock.ts';
import type { Logger } from '../log/log.ts';
import { Metrics, processMetrics } from '../metrics/metrics.ts';
import { busMetrics, measuredLock, measureStore } from '../metrics/process-metrics.ts';
import { SecretBox } from '../secrets/secret-box.ts';
import { secretKeysOf } from '../secrets/secret-key.ts';
import type { Store } from '../store/store.ts';
import { StoreGate } from '../store/store-gate.ts';
import { closeTracing, openTracing } from '../tracing/open-tracing.ts';
import { busTracing, tracedLock, traceStore } from '../tracing/spans.ts';
import { tracing } from '../tracing/tracing.ts';
import { addressOf, startAdminServer } from './admin-server.ts';
import { CannotStart } from './cannot-start.ts';
import type { CommandServer, Dependencies, Operators, ServiceFactory } from './dependencies.ts';
import { productVersion } from './product-version.ts';
import { processService, Readiness } from './readiness.ts';
import { standstill } from './standstill.ts';
import { openStoreOfProcess } from './store-of-process.ts';

/** ms that a process without a gateway stays on the bus when it is told to stop */
const LEAVE_AFTER = 500;

export interface RunningProcess {
	broker: ServiceBroker;
	/** Drains and closes everything. */
	stop(): Promise<void>;
}

/**
 * Starts the services of this process: store, broker, services, admin port, in this order.
 * @param factories of those that `config` names
 */
export async function startProcess(
	config: Config,
	logger: Logger,
	options: BrokerOptions,
	factories: ReadonlyMap<ServiceName, ServiceFactory>,
	serveCommands: Operators['serveCommands'],
): Promise<RunningProcess> {
	standstill.watch();
	const metrics = new Metrics(config.namespace);
	processMetrics(metrics, config, productVersion);
	await openTracing(config, logger);
	const opened = await openStoreOfProcess(config, logger);
	const gate = opened && new StoreGate(opened.connection, config.form === 'cluster');
	if (opened) measureStore(opened.connection, metrics);
	if (opened && tracing) traceStore(opened, tracing);
	const secretBox = new SecretBox(
		await secretKeysOf(config, async () => (await opened?.connection.collection('webhooks').findOne({})) != null),
	);
	const readiness = new Readiness(config.services, opened);
	const measured = measuredLock(fairLockOf(config, logger), metrics);
	const lock = tracing ? tracedLock(measured, tracing) : measured;
	const middlewares = [...(options.middlewares ?? []), busMetrics(metrics)];
	if (opened && config.form === 'embedded') middlewares.unshift(durableAnswers(opened)); // the innermost
	if (tracing) middlewares.push(busTracing(config, tracing)); // the outermost: it sees what callers see
	const broker = new ServiceBroker({ ...options, middlewares });
	const clock = systemClock;
	const dependencies: Dependencies = {
		config,
		clock,
		logger,
		get store() {
			if (opened === undefined) throw new Error('a process with a gateway only has no store');
			return opened;
		},
		durable: opened?.durable,
		lock,
		gate,
		readiness,
		secretBox,
		metrics,
	};
	for (const create of factories.values()) broker.createService(create(dependencies));
	broker.createService(processService(readiness, opened, gate));
	const admin = await startAdmin(config, readiness, metrics);
	await broker.start();
	assertRunning(broker, config.services);
	await hearRequests(broker);
	readiness.up(broker);
	const commands = config.form === 'embedded' ? await serveCommands(config.dataDir, broker, logger) : undefined;
	logger.info({ services: config.services, form: config.form, admin_url: admin && addressOf(admin) }, 'process ready');
	const leavesLast = !config.services.includes('gateway');
	return { broker, stop: () => stopAll(readiness, broker, lock, opened, gate, admin, commands, leavesLast) };
}

/** Bookings go on without the lock; what is lost is their order, which an operator should know. */
function fairLockOf(config: Config, logger: Logger): FairLock {
	const takesIt = config.services.some((name) => name === 'booking' || name === 'notifications');
	if (config.form === 'embedded' || !takesIt) return localFairLock();
	return redisFairLock({
		url: config.redisUrl,
		namespace: config.namespace,
		onDegraded: (reason) => logger.warn({ reason }, 'Redis is away: booking goes on without the lock'),
		onRestored: () => logger.info('Redis is back: booking takes the lock again'),
	});
}

/** Moleculer subscribes to a service's requests a second after its start; until then, those for this process get lost. */
async function hearRequests(broker: ServiceBroker): Promise<void> {
	if (!broker.transit) return;
	const { discoverer } = broker.registry as unknown as { discoverer: { sendLocalNodeInfo(): Promise<void> } };
	await discoverer.sendLocalNodeInfo();
}

async function startAdmin(config: Config, readiness: Readiness, metrics: Metrics): Promise<Server | undefined> {
	if (config.adminPort === 'off') return undefined;
	return startAdminServer(config.adminHost, config.adminPort, readiness, metrics).catch(
		(error: NodeJS.ErrnoException) => {
			const { adminHost, adminPort } = config;
			if (error.code === 'EADDRINUSE') {
				throw new CannotStart(`ADMIN_PORT ${adminPort} is in use; choose another one, or "off".`);
			}
			throw new CannotStart(`Cannot listen on ADMIN_HOST ${adminHost}, ADMIN_PORT ${adminPort}: ${error.code}.`);
		},
	);
}

/** Moleculer only warns where a service is not there; a process without it must not look healthy. */
function assertRunning(broker: ServiceBroker, services: readonly ServiceName[]): void {
	const missing = services.filter((name) => broker.getLocalService(name) === undefined);
	if (missing.length > 0) throw new Error(`services did not start: ${missing.join(', ')}`);
}

async function stopAll(
	readiness: Readiness,
	broker: ServiceBroker,
	lock: Dependencies['lock'],
	store: Store | undefined,
	gate: StoreGate | undefined,
	admin: Server | undefined,
	commands: CommandServer | undefined,
	leavesLast: boolean,
): Promise<void> {
	readiness.stopping();
	commands?.close();
	// Gateways that stop at the same time have requests under way, and a last report of how many there were.
	if (leavesLast) await delay(LEAVE_AFTER);
	await broker.stop();
	await lock.close();
	gate?.stop();
	await store?.close();
	await closeTracing();
	admin?.closeAllConnections();
	admin?.close();
}
