import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceBroker, type ServiceSchema } from 'moleculer';
import { pino } from 'pino';
import { brokerOptions } from '../../moleculer.config.ts';
import { bookingService } from '../../services/booking/booking.service.ts';
import { catalogService } from '../../services/catalog/catalog.service.ts';
import { call } from '../../shared/bus/call.ts';
import { readConfig } from '../../shared/config/config.ts';
import type { ActionName, Params, Result } from '../../shared/contract/actions.ts';
import { systemClock } from '../../shared/engine/clock.ts';
import { localFairLock } from '../../shared/lock/local-fair-lock.ts';
import { Metrics } from '../../shared/metrics/metrics.ts';
import { Readiness } from '../../shared/process/readiness.ts';
import { openStore } from '../../shared/store/open-store.ts';
import type { Store } from '../../shared/store/store.ts';
import { secretBox } from '../support/secret-box.ts';

const account_id = 'acc_test';

/** Catalog and booking as they are, on an embedded store, by a clock that the test sets; the others only say yes. */
export class CalendarWorld {
	/** ms */
	now = systemClock.now();
	readonly #store: Store;
	readonly #directory: string;
	readonly #broker: ServiceBroker;

	private constructor(store: Store, directory: string) {
		this.#store = store;
		this.#directory = directory;
		const config = readConfig({ LOG_LEVEL: 'silent', LOG_FORMAT: 'json' });
		const logger = pino({ level: 'silent' });
		this.#broker = new ServiceBroker(brokerOptions(config, logger));
		for (const neighbour of neighbours) this.#broker.createService(neighbour);
		const readiness = new Readiness([], store);
		const clock = { ...systemClock, now: () => this.now };
		const [lock, metrics] = [localFairLock(), new Metrics('test')];
		for (const service of [catalogService, bookingService]) {
			this.#broker.createService(service({ config, clock, logger, store, lock, readiness, secretBox, metrics }));
		}
	}

	static async start(): Promise<CalendarWorld> {
		const dataDir = mkdtempSync(join(tmpdir(), 'slotwise-calendar-'));
		const world = new CalendarWorld(await openStore({ form: 'embedded', dataDir }), dataDir);
		await world.#broker.start();
		return world;
	}

	call<A extends ActionName>(action: A, params: Omit<Params<A>, 'account_id'>): Promise<Result<A>> {
		return call(this.#broker, action, { account_id, ...params } as Params<A>);
	}

	async stop(): Promise<void> {
		await this.#broker.stop();
		await this.#store.close();
		rmSync(this.#directory, { recursive: true, force: true });
	}
}

const neighbours: ServiceSchema[] = [
	{
		name: 'accounts',
		actions: {
			provider: () => ({ id: account_id, package: { services_limit: null } }),
			reserveBookings: ({ params }) => ({ granted: params.count }),
			releaseBookings: () => 'ok',
		},
	},
	{ name: 'notifications', actions: { append: () => 'ok' } },
	{ name: 'customer', actions: { record: () => 'ok' } },
];
