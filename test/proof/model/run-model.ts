import { dateOn } from '../../support/calendar.ts';
import type { Answered, Asked, History } from '../history.ts';
import { Random } from '../random.ts';
import { Recorder, toHistories } from '../recorder.ts';
import { ModelEngine } from './engine.ts';
import { Invariants } from './invariants.ts';
import { ModelPlaces, type Planted, Refusal } from './places.ts';
import { chooseRequest, type ProfileName, profiles } from './requests.ts';
import { Scheduler, type Work } from './scheduler.ts';
import { ModelStore } from './store.ts';

export interface ModelOptions {
	seed: number;
	/** default 3 */
	processes?: number;
	/** default 5 */
	clients?: number;
	/** Requests in all; default 60 */
	requests?: number;
	/** Probability of a crash at each step; default 0.002 */
	crashes?: number;
	/** Probability at each step that a process stands still for up to 100 steps; default 0.01 */
	stops?: number;
	/** What the clients ask for; default: everything */
	profile?: ProfileName;
	planted?: Planted;
}

export interface ModelRun {
	/** What the clients saw, for the checker */
	history: History;
	/** What was wrong inside, whether or not a client could see it */
	broken: string[];
	steps: number;
}

/** Probability at each step that the holds of now end */
const ENDS = 0.01;
const ACCOUNT = 'model';
/** Where catalog's part runs; it does not crash here */
const CATALOG = -1;
/** Dates on which the slots fall */
export const DATES = [dateOn(1), dateOn(1, 1)] as const;

/** Runs the booking service's model: random requests, a random interleaving of their steps, and crashes. */
export function runModel(options: ModelOptions): ModelRun {
	return new Model(options).run();
}

class Model {
	readonly #random: Random;
	readonly #store = new ModelStore();
	readonly #scheduler: Scheduler;
	readonly #recorder: Recorder;
	readonly #invariants: Invariants;
	readonly #options: Required<ModelOptions>;
	readonly #engines: ModelEngine[];
	/** What each client waits for: the operation and the process that serves it */
	readonly #waiting = new Map<number, { op: number; process: number }>();
	/** Services whose deletion was begun, and whether it was finished */
	readonly #closing = new Map<number, boolean>();
	#time = 0;
	#steps = 0;

	constructor(options: ModelOptions) {
		this.#options = {
			processes: 3,
			clients: 5,
			requests: 60,
			crashes: 0.002,
			stops: 0.01,
			profile: 'everything',
			planted: {},
			...options,
		};
		this.#random = new Random(options.seed);
		this.#scheduler = new Scheduler(this.#random);
		this.#recorder = new Recorder(undefined, () => ++this.#time);
		this.#invariants = new Invariants(this.#store);
		this.#engines = Array.from({ length: this.#options.processes }, (_, process) => this.#engine(process));
	}

	run(): ModelRun {
		const { clients, requests, crashes, stops } = this.#options;
		this.#open(1, [this.#random.between(1, 4)]);
		this.#open(2, [this.#random.between(1, 3)]);
		for (let asked = 0; asked < requests || !this.#scheduler.isIdle; this.#steps++) {
			const idle = Array.from({ length: clients }, (_, client) => client).filter((one) => !this.#waiting.has(one));
			if (asked < requests && idle.length > 0 && (this.#scheduler.isIdle || this.#random.chance(0.15))) {
				asked++;
				this.#ask(this.#random.pick(idle));
			} else this.#scheduler.step();
			if (this.#random.chance(ENDS)) this.#endHolds();
			if (this.#random.chance(stops)) this.#scheduler.stop(this.#anyProcess(), this.#random.between(1, 100));
			if (this.#random.chance(crashes)) this.#crash(this.#anyProcess());
			this.#invariants.look(this.#time);
		}
		return this.#end();
	}

	/** Their moment has come: the sweep of one process comes, too, any time later. */
	#endHolds(): void {
		this.#store.endHolds();
		const process = this.#anyProcess();
		if (this.#random.chance(0.5)) this.#scheduler.spawn(process, this.#engines[process]!.sweepHolds());
	}

	/** A service with a slot, listed when it is new. */
	#open(service_id: number, maxima: number[]): void {
		const slots = maxima.map((max_bookings, index) => ({
			id: service_id * 10 + index,
			service_id,
			day_of_week: 1,
			start_time: '',
			end_time: '',
			max_bookings,
			valid_from: null,
			valid_until: null,
			created_at: '',
			updated_at: '',
		}));
		for (const slot of slots) this.#store.slots.set(slot.id, { ...slot, gone: false });
		const made = this.#recorder.invoke(0, ACCOUNT, { kind: 'create service', body: { time_slots: [] } });
		this.#recorder.answer(made, { status: 201, data: { id: service_id } });
		const listed = this.#recorder.invoke(0, ACCOUNT, { kind: 'list slots', service_id });
		this.#recorder.answer(listed, { status: 200, data: slots });
	}

	#ask(client: number): void {
		const asked = chooseRequest(this.#random, this.#store, DATES, profiles[this.#options.profile]);
		const op = this.#recorder.invoke(client, ACCOUNT, asked);
		const process = asked.kind === 'update slots' ? CATALOG : this.#anyProcess();
		this.#waiting.set(client, { op, process });
		this.#invariants.begin(op, asked);
		this.#scheduler.spawn(process, this.#serve(client, op, asked, this.#engines[process], this.#time));
	}

	*#serve(client: number, op: number, asked: Asked, engine: ModelEngine | undefined, begun: number): Work {
		let answered: Answered;
		try {
			answered = yield* this.#carryOut(asked, engine, begun);
		} catch (error) {
			if (!(error instanceof Refusal)) throw error;
			answered = { status: error.status, error: error.message };
		}
		yield; // the answer's way
		this.#recorder.answer(op, answered);
		this.#invariants.end(op, answered.status, this.#time);
		this.#waiting.delete(client);
	}

	*#carryOut(asked: Asked, engine: ModelEngine | undefined, begun: number): Work<Answered> {
		switch (asked.kind) {
			case 'create':
				return { status: 201, ...(yield* engine!.create(asked.body, asked.key, begun)) };
			case 'update':
				return { status: 200, data: yield* engine!.update(asked.booking_id, asked.body, begun) };
			case 'update customer': {
				const { customer, version } = yield* engine!.updateCustomer(asked.booking_id, asked.body);
				return { status: 200, data: customer, version };
			}
			case 'delete':
				yield* engine!.delete(asked.booking_id);
				return { status: 200, data: 'ok' };
			case 'delete service':
				yield;
				if (this.#closing.has(asked.service_id)) throw new Refusal(404, 'service not found');
				this.#closing.set(asked.service_id, false);
				for (const slot of this.#store.slots.values()) if (slot.service_id === asked.service_id) slot.gone = true;
				yield* engine!.close(asked.service_id);
				this.#closing.set(asked.service_id, true);
				return { status: 200, data: 'ok' };
			case 'update slots':
				yield;
				for (const { id, max_bookings } of asked.body.time_slots) {
					const slot = this.#store.slots.get(id)!;
					if (slot.gone) throw new Refusal(404, 'time slot not found');
					slot.max_bookings = max_bookings;
				}
				return { status: 200, data: 'ok' };
			default:
				throw new Error(`the model has no ${asked.kind}`);
		}
	}

	/** Everything of the process stops where it stands; another one with its number sweeps and serves. */
	#crash(process: number): void {
		this.#scheduler.kill(process);
		for (const [client, waiting] of this.#waiting) {
			if (waiting.process !== process) continue;
			this.#recorder.unknown(waiting.op, 'the process died');
			this.#waiting.delete(client);
		}
		this.#engines[process] = this.#engine(process);
		this.#scheduler.spawn(process, this.#engines[process]!.sweep());
	}

	#anyProcess(): number {
		return this.#random.index(this.#engines.length);
	}

	#engine(process: number): ModelEngine {
		const { planted } = this.#options;
		const places = new ModelPlaces(process, this.#store, this.#scheduler, this.#random, planted);
		return new ModelEngine(process, this.#store, this.#scheduler, places, planted);
	}

	/** Deletions that a crash left are finished, and everything is swept; then the final state is read. */
	#end(): ModelRun {
		const [engine] = this.#engines;
		for (const [id, isDone] of this.#closing) if (!isDone) this.#scheduler.spawn(0, engine!.close(id));
		while (!this.#scheduler.isIdle) this.#scheduler.step();
		while (this.#store.undelivered().length > 0) {
			this.#scheduler.spawn(0, engine!.sweep());
			while (!this.#scheduler.isIdle) this.#scheduler.step();
		}
		const services = [1, 2].filter((id) => !this.#closing.has(id));
		const bookings = services.flatMap((id) => this.#store.listed(id)).map((id) => this.#store.shown(id));
		const events = structuredClone(this.#store.log);
		this.#recorder.final({ account: ACCOUNT, services, bookings, events }, ++this.#time);
		this.#recorder.directory(ACCOUNT, structuredClone([...this.#store.directory.values()]));
		const [history] = toHistories(this.#recorder.lines);
		return { history: history!, broken: this.#invariants.finish(), steps: this.#steps };
	}
}
