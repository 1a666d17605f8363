import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from '@jest/globals';
import { ServiceBroker } from 'moleculer';
import { pino } from 'pino';
import { brokerOptions } from '../../moleculer.config.ts';
import { bookingService } from '../../services/booking/booking.service.ts';
import { bookingModel } from '../../services/booking/document/booking.model.ts';
import { readConfig } from '../../shared/config/config.ts';
import type { Handlers, NewEvent, Params, Result, SlotNow } from '../../shared/contract/actions.ts';
import { NO_RULES } from '../../shared/contract/schemas/rules.ts';
import type { TimeSlot } from '../../shared/contract/schemas/time-slot.ts';
import { systemClock } from '../../shared/engine/clock.ts';
import type { FairLock } from '../../shared/lock/fair-lock.ts';
import { localFairLock } from '../../shared/lock/local-fair-lock.ts';
import { Metrics } from '../../shared/metrics/metrics.ts';
import { Readiness } from '../../shared/process/readiness.ts';
import { openStore } from '../../shared/store/open-store.ts';
import type { Store } from '../../shared/store/store.ts';
import { STORE_PATIENCE } from '../support/bound.ts';
import { secretBox } from '../support/secret-box.ts';

type Form = Store['form'];

/** Runs a suite on the embedded store and on the database that TEST_MONGO_URL names. */
export function onBothStores(name: string, suite: (form: Form) => void): void {
	describe(`${name}, embedded`, () => suite('embedded'));
	const [onServer, why] = process.env.TEST_MONGO_URL
		? [describe, '']
		: [describe.skip, ' (skipped: TEST_MONGO_URL is not set)'];
	onServer(`${name}, over MongoDB${why}`, () => suite('cluster'));
}

export const ACCOUNT = 'acc_test';
export const MONDAY = '2026-11-23';
export const NEXT_MONDAY = '2026-11-30';

/** ms: these tests judge what is decided, not how fast a busy machine decides it. */
const PATIENCE = 60_000;

/** A lock that is never to be had: every batch runs lock-free. */
export const noLock: FairLock = {
	...localFairLock(),
	acquire: async () => undefined,
	close: async () => {},
};

type Action = Handlers<'booking'> extends infer H ? keyof H & string : never;

/** One booking process' worth: a broker of its own, over a store that it shares with the others. */
export interface Engine {
	broker: ServiceBroker;
	call<A extends Action>(
		action: A,
		params: Omit<Params<`booking.${A}`>, 'account_id'> & { account_id?: string },
	): Promise<Result<`booking.${A}`>>;
}

/** Several engines on one store, with the services around them reduced to what booking asks of them. */
export class World {
	readonly slots = new Map<number, TimeSlot>();
	readonly events: NewEvent[] = [];
	quotaLeft = Number.POSITIVE_INFINITY;
	/** For how many days the account keeps bookings */
	retentionDays: number | null = null;
	/** So many answers to reservations are lost from now on. */
	lostReservations = 0;
	/** ms by which the processes' wall clock is ahead */
	ahead = 0;
	/** The same of one of them alone */
	readonly aheadOf: number[] = [];
	/** Happens when bookings were counted in a month, before it is answered. */
	counted = () => {};
	/** Makes the event log refuse, as if it could not be reached. */
	logIsDown = false;
	/** How often the event log was asked */
	appends = 0;
	/** The event log answers only when it resolves. */
	slowLog: Promise<void> | undefined;
	/** Catalog answers this engine only when the promise resolves. */
	slowCatalog: { engine: number; until: Promise<void> } | undefined;
	readonly engines: Engine[] = [];
	store!: Store;
	readonly #granted = new Map<string, number>();
	#lastSlot = 0;
	#directory = '';

	static async start(form: Form, count: number, lock: FairLock = noLock): Promise<World> {
		const world = new World();
		const mongoUrl = process.env.TEST_MONGO_URL ?? '';
		world.#directory = mkdtempSync(join(tmpdir(), 'slotwise-booking-'));
		world.store =
			form === 'cluster'
				? await openStore({
						form: 'cluster',
						mongoUrl,
						namespace: `booking-${process.pid}-${Date.now()}`,
						patience: STORE_PATIENCE,
					})
				: await openStore({ form: 'embedded', dataDir: world.#directory });
		for (let index = 0; index < count; index++) world.engines.push(await world.#engine(index, lock));
		return world;
	}

	get bookings() {
		return bookingModel(this.store.connection);
	}

	/** A slot on Mondays; its service's id is given, or its own id. */
	addSlot(max_bookings: number, service_id?: number): TimeSlot {
		const id = ++this.#lastSlot;
		const slot = {
			id,
			service_id: service_id ?? id,
			day_of_week: 1,
			start_time: '2026-01-05 09:00:00',
			end_time: '2026-01-05 10:00:00',
			max_bookings,
			valid_from: null,
			valid_until: null,
			created_at: '2026-01-01T00:00:00.000Z',
			updated_at: '2026-01-01T00:00:00.000Z',
		};
		this.slots.set(id, slot);
		return slot;
	}

	slotNow(id: number): SlotNow | null {
		const slot = this.slots.get(id);
		return slot === undefined
			? null
			: { slot, timezone: 'Europe/Berlin', rules: NO_RULES, override: null, overrides_changed_at: null };
	}

	/** How many bookings hold a seat of the slot on the date. */
	async active(slot: TimeSlot, date = MONDAY): Promise<number> {
		return this.bookings.countDocuments({ account_id: ACCOUNT, place: `${slot.id}:${date}` });
	}

	/** The event log takes an event once. */
	tell(events: readonly NewEvent[]): 'ok' {
		for (const event of events) if (!this.events.some(({ id }) => id === event.id)) this.events.push(event);
		return 'ok';
	}

	async stop(): Promise<void> {
		await Promise.all(this.engines.map(({ broker }) => broker.stop()));
		await this.store.close();
		rmSync(this.#directory, { recursive: true, force: true });
	}

	/** Another process in the place of one of them, which knows only what the store has. */
	async restart(index: number, lock: FairLock = noLock): Promise<void> {
		await this.engines[index]!.broker.stop();
		this.engines[index] = await this.#engine(index, lock);
	}

	async #engine(index: number, lock: FairLock): Promise<Engine> {
		const config = readConfig({ LOG_LEVEL: 'silent', LOG_FORMAT: 'json' });
		const logger = pino({ level: 'silent' });
		const broker = new ServiceBroker(brokerOptions(config, logger));
		broker.createService({
			name: 'catalog',
			actions: {
				slots: async ({ params }) => {
					if (this.slowCatalog?.engine === index) await this.slowCatalog.until;
					return params.slots.map((key: { time_slot_id: number }) => this.slotNow(key.time_slot_id));
				},
				areServices: ({ params }) => params.services.map(() => true),
				serviceIds: () => [...new Set([...this.slots.values()].map(({ service_id }) => service_id))],
			},
		});
		broker.createService({
			name: 'accounts',
			actions: {
				reserveBookings: ({ params: { count, by, number } }) => {
					const granted = this.#granted.get(`${by}:${number}`) ?? Math.min(count, this.quotaLeft);
					if (!this.#granted.has(`${by}:${number}`)) this.quotaLeft -= granted;
					this.#granted.set(`${by}:${number}`, granted);
					this.counted();
					if (this.lostReservations > 0) {
						this.lostReservations--;
						throw new Error('the answer is lost');
					}
					return { granted };
				},
				retentions: () => ({ rows: this.retentionDays === null ? [] : [ACCOUNT], next: null }),
				retention: ({ params }) => ({ days: params.account_id === ACCOUNT ? this.retentionDays : null }),
				releaseBookings: ({ params: { count } }) => {
					this.quotaLeft += count;
					return 'ok';
				},
			},
		});
		broker.createService({
			name: 'notifications',
			actions: {
				append: async ({ params }) => {
					this.appends++;
					if (this.logIsDown) throw new Error('the event log is down');
					await this.slowLog;
					return this.tell(params.events);
				},
			},
		});
		broker.createService({ name: 'customer', actions: { record: () => 'ok' } });
		const readiness = new Readiness(['booking'], this.store);
		broker.createService(
			bookingService({
				config,
				clock: { ...systemClock, now: () => systemClock.now() + this.ahead + (this.aheadOf[index] ?? 0) },
				logger,
				store: this.store,
				lock,
				readiness,
				secretBox,
				metrics: new Metrics('test'),
			}),
		);
		await broker.start();
		return {
			broker,
			call: (action, params) =>
				broker.call(`booking.${action}`, { account_id: ACCOUNT, ...params }, { timeout: PATIENCE }),
		};
	}
}

/** The outcome as a word: `ok`, or the error's text. */
export async function outcome(answer: Promise<unknown>): Promise<string> {
	return answer.then(
		() => 'ok',
		(error: Error) => error.message,
	);
}

/** How often each outcome came. */
export function tally(outcomes: string[]): Record<string, number> {
	return Object.fromEntries(
		Object.entries(Object.groupBy(outcomes, (word) => word)).map(([word, all]) => [word, all!.length]),
	);
}
