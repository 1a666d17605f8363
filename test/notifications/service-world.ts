import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe } from '@jest/globals';
import { type BrokerOptions, type CallingOptions, ServiceBroker } from 'moleculer';
import { pino } from 'pino';
import { brokerOptions } from '../../moleculer.config.ts';
import { call } from '../../shared/bus/call.ts';
import { type Config, readConfig } from '../../shared/config/config.ts';
import type { ActionName, Params, Result } from '../../shared/contract/actions.ts';
import { randomBase62 } from '../../shared/engine/ids.ts';
import type { FairLock } from '../../shared/lock/fair-lock.ts';
import { localFairLock } from '../../shared/lock/local-fair-lock.ts';
import { Metrics } from '../../shared/metrics/metrics.ts';
import type { ServiceFactory } from '../../shared/process/dependencies.ts';
import { Readiness } from '../../shared/process/readiness.ts';
import { openStore } from '../../shared/store/open-store.ts';
import type { Store } from '../../shared/store/store.ts';
import { TestClock } from '../accounts/test-clock.ts';
import { STORE_PATIENCE } from '../support/bound.ts';
import { secretBox } from '../support/secret-box.ts';

/** A service as a process of its own would run it. */
export interface ServiceProcess {
	broker: ServiceBroker;
	readiness: Readiness;
	call<K extends ActionName>(action: K, params: Params<K>, options?: CallingOptions): Promise<Result<K>>;
}

export interface StartOptions {
	/** Shared by all processes where it is left out */
	lock?: FairLock;
	config?: Config;
	broker?: BrokerOptions;
}

/** A store of a test's own, and the services that work on it. */
export interface World {
	clock: TestClock;
	store: Store;
	start(service: ServiceFactory, options?: StartOptions): Promise<ServiceProcess>;
}

const open: (() => unknown)[] = [];
afterEach(async () => {
	for (const cleanup of open.splice(0).reverse()) await cleanup();
});

/** Runs the tests on both forms of the store; the cluster's is skipped where `TEST_MONGO_URL` is not set. */
export function describeForms(name: string, tests: (openWorld: () => Promise<World>) => void): void {
	describe(`${name}, embedded`, () => tests(embeddedWorld));
	const url = process.env.TEST_MONGO_URL;
	if (url) describe(`${name}, cluster`, () => tests(() => clusterWorld(url)));
	else describe.skip(`${name}, cluster (TEST_MONGO_URL is not set)`, () => tests(embeddedWorld));
}

export async function embeddedWorld(): Promise<World> {
	const dataDir = mkdtempSync(join(tmpdir(), 'slotwise-events-'));
	open.push(() => rmSync(dataDir, { recursive: true }));
	const store = await openStore({ form: 'embedded', dataDir });
	open.push(() => store.close());
	return worldOn(store, async () => store);
}

/** Each service has a connection of its own, as it would in its own process. */
async function clusterWorld(mongoUrl: string): Promise<World> {
	const url = new URL(mongoUrl);
	url.pathname = `/events_${randomBase62(12)}`;
	const connect = async () => {
		const store = await openStore({
			form: 'cluster',
			mongoUrl: url.href,
			namespace: 'unused',
			patience: STORE_PATIENCE,
		});
		open.push(() => store.close());
		return store;
	};
	const store = await connect();
	open.push(() => store.connection.dropDatabase());
	return worldOn(store, connect);
}

function worldOn(store: Store, connect: () => Promise<Store>): World {
	const clock = new TestClock('2026-11-21T09:30:00.000Z');
	const logger = pino({ level: 'silent' });
	const shared = localFairLock();
	return {
		clock,
		store,
		async start(service, { lock = shared, config = readConfig({}), broker: overrides } = {}) {
			const options = brokerOptions(readConfig({}), logger);
			const broker = new ServiceBroker({ ...options, registry: { ...options.registry, stopDelay: 0 }, ...overrides });
			const own = await connect();
			const readiness = new Readiness([], own);
			broker.createService(
				service({ config, clock, logger, store: own, lock, readiness, secretBox, metrics: new Metrics('test') }),
			);
			open.push(async () => {
				readiness.stopping();
				await broker.stop();
			});
			await broker.start();
			return { broker, readiness, call: (action, params, calling) => call(broker, action, params, calling) };
		},
	};
}
