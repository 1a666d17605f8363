import { setTimeout as wait } from 'node:timers/promises';
import { test } from '@jest/globals';
import fc from 'fast-check';
import { mongo } from 'mongoose';
import { EventAppender } from '../../services/notifications/log/append-events.ts';
import { EventLog } from '../../services/notifications/log/event-log.ts';
import {
	type EventDocument,
	type EventModel,
	EventStore,
	eventModel,
} from '../../services/notifications/log/event-store.ts';
import type { NewEvent } from '../../shared/contract/actions.ts';
import { prepareModels } from '../../shared/store/prepare-models.ts';
import { mayStillLand } from '../../shared/store/write-errors.ts';
import { Deadline } from '../../shared/work/deadline.ts';
import { expectGapless, logOf } from './log.ts';
import { newEvent } from './new-events.ts';
import { noLock } from './no-lock.ts';
import { describeForms, type World } from './service-world.ts';

/** What becomes of one insert: how many of its documents arrive, how late, and whether its answer does. */
interface Fate {
	/** 0 to 1; part of the documents that the store takes */
	arrives: number;
	/** ms after which they arrive; the caller hears of the lost connection at once */
	late: number;
	answered: boolean;
}

const fates: fc.Arbitrary<Fate> = fc.oneof(
	{ weight: 4, arbitrary: fc.constant({ arrives: 1, late: 0, answered: true }) },
	{ weight: 1, arbitrary: fc.constant({ arrives: 1, late: 0, answered: false }) },
	{ weight: 1, arbitrary: fc.constant({ arrives: 0, late: 0, answered: false }) },
	{
		weight: 3,
		arbitrary: fc.record({
			arrives: fc.constantFrom(0.3, 0.5, 1),
			late: fc.integer({ min: 0, max: 30 }),
			answered: fc.constant(false),
		}),
	},
);

/** A process that appends to the store over a connection that fails. */
class UnreliableProcess {
	readonly #appender: EventAppender;
	readonly #model: EventModel;
	readonly #fates: Fate[];
	readonly #late: Promise<unknown>[] = [];

	constructor(world: World, fates: Fate[]) {
		this.#model = eventModel(world.store.connection);
		this.#fates = fates;
		const unreliable = new Proxy(this.#model, {
			get: (model, key) => (key === 'insertMany' ? this.#insertMany.bind(this) : Reflect.get(model, key)),
		});
		this.#appender = new EventAppender(new EventLog(new EventStore(unreliable), world.clock), noLock, () => {});
	}

	/** Repeats the call until it is acknowledged, as the relay does. */
	async append(events: NewEvent[]): Promise<void> {
		for (;;) {
			try {
				return await this.#appender.append(events, new Deadline(60_000));
			} catch (error) {
				if (!mayStillLand(error)) throw error;
			}
		}
	}

	/** Until every insert that was under way has arrived. */
	async settled(): Promise<void> {
		await Promise.all(this.#late);
	}

	async #insertMany(documents: EventDocument[], options: object): Promise<unknown> {
		const { arrives, late, answered } = this.#fates.shift() ?? { arrives: 1, late: 0, answered: true };
		const arriving = documents.slice(0, Math.ceil(documents.length * arrives));
		const insert = async () => arriving.length > 0 && this.#model.insertMany(arriving, options);
		if (answered) return insert();
		const arrival = (late > 0 ? wait(late).then(insert) : insert()).catch(() => {}); // nobody hears of a refusal
		if (late > 0) this.#late.push(arrival);
		else await arrival;
		throw new mongo.MongoNetworkError('connection lost');
	}
}

interface Call {
	process: number;
	booking: number;
	version: number;
}

const calls: fc.Arbitrary<Call[][]> = fc.array(
	fc.array(
		fc.record({
			process: fc.integer({ min: 0, max: 2 }),
			booking: fc.integer({ min: 1, max: 6 }),
			version: fc.integer({ min: 1, max: 4 }),
		}),
		{ minLength: 1, maxLength: 8 },
	),
	{ minLength: 1, maxLength: 8 },
);

/** All that a booking's outbox holds at a version. */
const outbox = (account: string, { booking, version }: Call) =>
	Array.from({ length: version }, (_, index) => newEvent(account, booking, index + 1));

let accounts = 0;

describeForms('W1: the event log', (openWorld) => {
	test('When inserts get lost, land half or land late, then there is no gap, nothing twice and nothing lost', async () => {
		const world = await openWorld();
		await prepareModels([eventModel(world.store.connection)]);
		const scenario = fc.record({ rounds: calls, fates: fc.tuple(...[0, 1, 2].map(() => fc.array(fates))) });
		await fc.assert(
			fc.asyncProperty(scenario, async ({ rounds, fates }) => {
				const account = `account-${++accounts}`;
				const offset = accounts * 10;
				const processes = fates.map((own) => new UnreliableProcess(world, [...own]));
				const sent = new Set<string>();
				for (const round of rounds) {
					await Promise.all(
						round.map(async (call) => {
							const events = outbox(account, { ...call, booking: offset + call.booking });
							await processes[call.process]!.append(events);
							for (const event of events) sent.add(event.id);
							const there = new Set((await logOf(world.store, account)).map((event) => event._id));
							for (const event of events) if (!there.has(event.id)) throw new Error(`${event.id} was acknowledged`);
						}),
					);
				}
				await Promise.all(processes.map((process) => process.settled()));
				const log = await logOf(world.store, account);
				expectGapless(log);
				if (log.length !== sent.size) throw new Error(`${log.length} events, ${sent.size} were sent`);
			}),
			{ numRuns: 40 },
		);
	});
});
