import { type BrokerOptions, ServiceBroker } from 'moleculer';
import { actionDeadlines, carryReading } from '../../shared/bus/call-context.ts';
import { errorBoundary } from '../../shared/bus/error-boundary.ts';
import { readConfig } from '../../shared/config/config.ts';
import { localFairLock } from '../../shared/lock/local-fair-lock.ts';
import { createLogger } from '../../shared/log/log.ts';
import { Metrics } from '../../shared/metrics/metrics.ts';
import type { Dependencies } from '../../shared/process/dependencies.ts';
import { Readiness } from '../../shared/process/readiness.ts';
import { SecretBox } from '../../shared/secrets/secret-box.ts';
import { bringForward } from '../../shared/store/format/format.ts';
import { openStore } from '../../shared/store/open-store.ts';
import { prepareModels } from '../../shared/store/prepare-models.ts';
import { audit } from '../commands/audit.ts';
import type { Outcome } from '../line/command.ts';
import { modelsOn } from './collections.ts';

/**
 * Audits a store that nobody serves, by the code of the services. They are there to answer: none of their sweeps runs,
 * nothing is sent, and no process can be reached.
 * @param dataDir is written to, where it comes from an earlier release
 * @param at ms; it is judged as of this moment, for events that were on their way then are not late
 */
export async function auditCopy(dataDir: string, at: number): Promise<Outcome> {
	const store = await openStore({ form: 'embedded', dataDir });
	const logger = createLogger({ logLevel: 'silent', logFormat: 'json' });
	const dependencies: Dependencies = {
		config: readConfig({ DATA_DIR: dataDir }),
		clock: { now: () => at, monotonic: () => performance.now() },
		logger,
		store,
		lock: localFairLock(),
		readiness: new Readiness([], store),
		metrics: new Metrics('check'),
		secretBox: new SecretBox([Buffer.alloc(32)]), // nothing is opened
	};
	const broker = new ServiceBroker({
		...options,
		middlewares: [actionDeadlines(), carryReading(), errorBoundary(logger)],
	});
	try {
		await bringForward(store.connection, logger);
		await prepareModels(modelsOn(store.connection));
		const { catalogService } = await import('../../services/catalog/catalog.service.ts');
		const { bookingService } = await import('../../services/booking/booking.service.ts');
		for (const create of [catalogService, bookingService]) {
			const { started, stopped, ...answering } = create(dependencies);
			broker.createService(answering);
		}
		await broker.start();
		return await audit.run(broker, { service: undefined, repair: false } as never);
	} finally {
		await broker.stop();
		await store.close();
	}
}

const options: BrokerOptions = {
	logger: false,
	transporter: null,
	validator: false,
	skipProcessEventRegistration: true,
};
