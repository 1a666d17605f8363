import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from '@jest/globals';
import { type CallingOptions, ServiceBroker } from 'moleculer';
import { pino } from 'pino';
import { brokerOptions } from '../../moleculer.config.ts';
import { catalogService } from '../../services/catalog/catalog.service.ts';
import { CatalogStore } from '../../services/catalog/catalog-store.ts';
import type { SlotModel } from '../../services/catalog/schedule/slot.model.ts';
import type { ServiceModel } from '../../services/catalog/service.model.ts';
import { call } from '../../shared/bus/call.ts';
import { readConfig } from '../../shared/config/config.ts';
import type { Handlers, Params, Result } from '../../shared/contract/actions.ts';
import { ApiError } from '../../shared/contract/errors.ts';
import type { Provider } from '../../shared/contract/schemas/provider.ts';
import type { CreateService } from '../../shared/contract/schemas/service.ts';
import type { TimeSlotInput } from '../../shared/contract/schemas/time-slot.ts';
import { randomBase62 } from '../../shared/engine/ids.ts';
import { localFairLock } from '../../shared/lock/local-fair-lock.ts';
import { Metrics } from '../../shared/metrics/metrics.ts';
import { Readiness } from '../../shared/process/readiness.ts';
import { openStore } from '../../shared/store/open-store.ts';
import type { Store } from '../../shared/store/store.ts';
import { TestClock } from '../accounts/test-clock.ts';
import { STORE_PATIENCE } from '../support/bound.ts';
import { secretBox } from '../support/secret-box.ts';
import { dyingStore } from './crash.ts';

type Form = Store['form'];
type Action = keyof Handlers<'catalog'> & string;

/** Runs a suite on the embedded store and on the database that TEST_MONGO_URL names. */
export function onBothStores(name: string, suite: (form: Form) => void): void {
	describe(`${name}, embedded`, () => suite('embedded'));
	if (process.env.TEST_MONGO_URL) describe(`${name}, over MongoDB`, () => suite('cluster'));
	else describe.skip(`${name}, over MongoDB (skipped: TEST_MONGO_URL is not set)`, () => suite('cluster'));
}

/** One catalog process' worth: a broker, queues and a sweep of its own, over a store that it shares with the others. */
export interface Catalog {
	broker: ServiceBroker;
	call<A extends Action>(
		action: A,
		params: Params<`catalog.${A}`>,
		options?: CallingOptions,
	): Promise<Result<`catalog.${A}`>>;
}

/** Catalogs on one store, with accounts and booking reduced to what catalog asks of them. */
export class World {
	readonly clock = new TestClock('2026-11-21T09:30:00.000Z');
	/** services_limit by account; null where there is none */
	readonly limits = new Map<string, number | null>();
	/** Bookings that are not cancelled, by service */
	readonly bookings = new Map<number, number>();
	/** Slots that some booking is of */
	readonly bookedSlots = new Set<number>();
	readonly closed: Params<'booking.closeService'>[] = [];
	readonly countCalls: Params<'booking.counts'>[] = [];
	providerCalls = 0;
	/** Makes booking refuse, as if it could not be reached. */
	bookingIsDown = false;
	readonly catalogs: Catalog[] = [];
	store!: Store;
	/** For whoever works on the store beside the catalogs */
	records!: CatalogStore;
	/** For looking at documents */
	documents!: { services: ServiceModel; slots: SlotModel };
	readonly #victims = new Set<Catalog>();
	readonly #unanswered: Promise<unknown>[] = [];
	#directory = '';

	static async start(form: Form, count = 1): Promise<World> {
		const world = new World();
		world.#directory = mkdtempSync(join(tmpdir(), 'slotwise-catalog-'));
		world.store =
			form === 'cluster'
				? await openStore({
						form,
						mongoUrl: databaseUrl(process.env.TEST_MONGO_URL!),
						namespace: 'unused',
						patience: STORE_PATIENCE,
					})
				: await openStore({ form, dataDir: world.#directory });
		world.records = new CatalogStore(world.store.connection, world.clock);
		world.documents = { services: world.records.services.model, slots: world.records.slots.model };
		await world.records.prepare();
		for (let index = 0; index < count; index++) await world.startCatalog();
		return world;
	}

	get catalog(): Catalog {
		return this.catalogs[0]!;
	}

	async startCatalog(store = this.store): Promise<Catalog> {
		const config = readConfig({ LOG_LEVEL: 'silent', LOG_FORMAT: 'json' });
		const logger = pino({ level: 'silent' });
		const options = brokerOptions(config, logger);
		const tracking = { enabled: false }; // a request that hangs for ever must not keep a test waiting
		const broker = new ServiceBroker({ ...options, tracking, registry: { ...options.registry, stopDelay: 0 } });
		for (const neighbour of this.#neighbours()) broker.createService(neighbour);
		const { clock } = this;
		const readiness = new Readiness([], store);
		broker.createService(
			catalogService({
				config,
				clock,
				logger,
				store,
				lock: localFairLock(),
				readiness,
				secretBox,
				metrics: new Metrics('test'),
			}),
		);
		await broker.start();
		const catalog: Catalog = {
			broker,
			call: (action, params, calling) => call(broker, `catalog.${action}`, params, calling) as Promise<never>,
		};
		this.catalogs.push(catalog);
		return catalog;
	}

	/**
	 * Calls an action of a process that dies at a write of it.
	 * @param nth from 0
	 * @returns false where the action has no such write: then it was answered
	 */
	async callAndDie<A extends Action>(
		action: A,
		params: Params<`catalog.${A}`>,
		nth: number,
		when: 'before' | 'after',
	): Promise<boolean> {
		const dying = dyingStore(this.store, nth, when);
		const victim = await this.startCatalog(dying.store);
		this.#victims.add(victim);
		dying.arm();
		const answered = victim.call(action, params, { timeout: 3_000 }).then(
			() => true,
			() => true,
		);
		this.#unanswered.push(answered);
		const hasDied = (await Promise.race([answered, dying.died])) !== true;
		victim.broker.stop().catch(() => undefined); // its sweep may hang, as the dead do; it looks no more
		return hasDied;
	}

	/** An account of the test's own. */
	account(services_limit: number | null = null): string {
		const account_id = `acc_${randomBase62(12)}`;
		this.limits.set(account_id, services_limit);
		return account_id;
	}

	/** Those that were not made to die */
	get living(): Catalog[] {
		return this.catalogs.filter((catalog) => !this.#victims.has(catalog));
	}

	async stop(): Promise<void> {
		await Promise.all([...this.#unanswered, ...this.living.map(({ broker }) => broker.stop())]);
		if (this.store.form === 'cluster') await this.store.connection.dropDatabase();
		await this.store.close();
		rmSync(this.#directory, { recursive: true, force: true });
	}

	#neighbours() {
		const accounts: Pick<Handlers<'accounts'>, 'provider'> = {
			provider: async ({ params: { account_id } }) => {
				this.providerCalls++;
				return provider(account_id, this.limits.get(account_id) ?? null);
			},
		};
		const booking: Pick<Handlers<'booking'>, 'bookedSlots' | 'counts' | 'closeService'> = {
			bookedSlots: async ({ params }) => {
				if (this.bookingIsDown) throw new ApiError('service_unavailable');
				return params.time_slot_ids.filter((id) => this.bookedSlots.has(id));
			},
			counts: async ({ params }) => {
				this.countCalls.push(params);
				return Object.fromEntries(params.service_ids.map((id) => [id, this.bookings.get(id) ?? 0]));
			},
			closeService: async ({ params }) => {
				if (this.bookingIsDown) throw new ApiError('service_unavailable');
				this.closed.push(params);
				return 'ok';
			},
		};
		return [
			{ name: 'accounts', actions: accounts },
			{ name: 'booking', actions: booking },
		];
	}
}

export function newService(time_slots: TimeSlotInput[] = [], fields: Partial<CreateService> = {}): CreateService {
	return { name: 'Piano lesson', timezone: 'Europe/Berlin', time_slots, ...fields };
}

/** A slot on Mondays from 09:00 to 10:00, unless told otherwise. */
export function slot(fields: Partial<TimeSlotInput> = {}): TimeSlotInput {
	return {
		day_of_week: 1,
		start_time: '2026-01-05 09:00:00',
		end_time: '2026-01-05 10:00:00',
		max_bookings: 4,
		...fields,
	};
}

export function slots(count: number): TimeSlotInput[] {
	return Array.from({ length: count }, (_, index) => slot({ day_of_week: index % 7, max_bookings: (index % 9) + 1 }));
}

function databaseUrl(mongoUrl: string): string {
	const url = new URL(mongoUrl);
	url.pathname = `/catalog_${randomBase62(12)}`;
	return url.href;
}

function provider(id: string, services_limit: number | null): Provider {
	const times = { created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' };
	return {
		id,
		name: 'Music school',
		email: 'school@example.com',
		phone: null,
		avatar: null,
		is_verified: true,
		role_id: 1,
		role: { id: 1, name: 'provider', description: 'Publishes services', level: 10 },
		package_id: 2,
		package: {
			id: 2,
			name: 'Developer',
			bookings_per_month: 5000,
			requests_per_month: 50_000,
			rate_limit_per_second: 10,
			services_limit,
			overages_enabled: false,
			overage_price_amount: 0,
			price_amount: 2900,
			price_currency: 'usd',
			price_interval: 'month',
			payment_overage_price_id: null,
			payment_price_id: null,
			...times,
		},
		payment_customer_id: null,
		subscription_status: 'active',
		...times,
	};
}
