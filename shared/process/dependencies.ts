import type { ServiceBroker, ServiceSchema } from 'moleculer';
import type { Config } from '../config/config.ts';
import type { Clock } from '../engine/clock.ts';
import type { FairLock } from '../lock/fair-lock.ts';
import type { Logger } from '../log/log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import type { Store } from '../store/store.ts';
import type { StoreGate } from '../store/store-gate.ts';
import type { Readiness } from './readiness.ts';

/** What a service is made of. Each service is a function of these, so that a test can give it others. */
export interface Dependencies {
	config: Config;
	clock: Clock;
	logger: Logger;
	store: Store;
	/** `Store.durable`; undefined in a process without a store */
	durable?: Store['durable'];
	lock: FairLock;
	/** Where a service says what it pauses when the store is to be quiet */
	gate?: StoreGate | undefined;
	readiness: Readiness;
	/** Where a service registers what it counts */
	metrics: Metrics;
	/** Seals what must not lie readable in the store */
	secretBox: SecretBox;
}

export type ServiceFactory = (dependencies: Dependencies) => ServiceSchema;

/** How operators reach a running process; `ops/` has both, and `main.ts` hands them over. */
export interface Operators {
	/** Takes commands for an embedded process. @returns undefined where it cannot; the log says why */
	serveCommands(dataDir: string, broker: ServiceBroker, logger: Logger): Promise<CommandServer | undefined>;
	/** @param stop ends the process; called on Ctrl+D and `exit` */
	startRepl(broker: ServiceBroker, config: Config, stop: () => Promise<void>): Promise<void>;
}

export interface CommandServer {
	close(): void;
}
