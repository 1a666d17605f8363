import { once } from 'node:events';
import { type ActionSchema, type Context, Errors, type Middleware, type Service, type ServiceBroker } from 'moleculer';
import { Running } from '../work/running.ts';

/** ms between two looks at the calls that wait for their answers: what a timeout may be late by */
const EVERY = 20;

interface Waiting {
	/** Monotonic ms */
	readonly until: number;
	giveUp(): void;
}

/**
 * Calls that wait. One timer looks at all of them: setting and clearing one for each costs more than the call itself. Each
 * has an index of an array, for a set that entries pass through makes itself anew all the time, and its old tables keep what
 * was in them alive beyond the young collections.
 */
class WaitingCalls {
	readonly #calls: (Waiting | undefined)[] = [];
	readonly #free: number[] = [];
	#timer: NodeJS.Timeout | undefined;

	/** @returns its index, to be given back when it is over */
	add(call: Waiting): number {
		const index = this.#free.pop() ?? this.#calls.length;
		this.#calls[index] = call;
		this.#timer ??= setInterval(() => this.#look(), EVERY).unref();
		return index;
	}

	giveBack(index: number): void {
		this.#calls[index] = undefined;
		this.#free.push(index);
	}

	#look(): void {
		const now = performance.now();
		for (const call of this.#calls) if (call !== undefined && call.until <= now) call.giveUp();
		if (this.#free.length < this.#calls.length) return;
		clearInterval(this.#timer);
		this.#timer = undefined;
	}
}

/**
 * Does for actions what Moleculer's own `Timeout`, `ContextTracker` and `ErrorHandler` do: a call that is not answered in
 * time is told so, and a service that stops waits for what it works at. In one step instead of three, which made a dozen
 * promises and a timer for each call: a tenth of a GET.
 */
export function limitCalls(): Middleware {
	const waiting = new WaitingCalls();
	/** By the service that is asked; of other processes' services under undefined */
	const running = new Map<Service | undefined, Running>();

	const limit = (next: (context: Context) => Promise<unknown>, action: ActionSchema) => (context: Context) => {
		const { broker, options, service } = context;
		options.timeout ??= broker.options.requestTimeout!;
		context.startHrTime ??= process.hrtime(); // calls that it makes have the rest of its time
		const own = runningOf(service ?? undefined);
		own.begin();
		return new Promise((resolve, reject) => {
			const fail = (error: unknown) => {
				if (!service) broker.transit?.removePendingRequest(context.id);
				reject(error);
			};
			const giveUp = () => {
				stopWaiting();
				if (!service) end(); // nobody hears its answer any more; an action of this process goes on
				fail(new Errors.RequestTimeoutError({ action: action.name!, nodeID: context.nodeID! }));
			};
			let index =
				options.timeout! > 0 ? waiting.add({ until: performance.now() + options.timeout!, giveUp }) : undefined;
			const stopWaiting = () => {
				if (index !== undefined) waiting.giveBack(index);
				index = undefined;
			};
			let isOver = false;
			const end = () => {
				if (isOver) return;
				isOver = true;
				own.end();
				stopWaiting();
			};
			next(context).then(
				(result) => {
					end();
					resolve(result);
				},
				(error) => {
					end();
					fail(error);
				},
			);
		});
	};

	function runningOf(service: Service | undefined): Running {
		let own = running.get(service);
		if (own === undefined) {
			own = new Running();
			running.set(service, own);
		}
		return own;
	}

	/** Resolves when nothing of it is under way, or after the time that a stop may take. */
	async function ended({ options: { tracking } }: ServiceBroker, service?: Service): Promise<void> {
		if (!tracking?.enabled) return;
		const patience = AbortSignal.timeout(tracking.shutdownTimeout!);
		await Promise.race([runningOf(service).none(), once(patience, 'abort')]);
	}

	return {
		name: 'LimitCalls',
		localAction: limit,
		remoteAction: limit,
		serviceStopping: (service: Service) => ended(service.broker, service),
		stopping: (broker: ServiceBroker) => ended(broker),
	} as unknown as Middleware; // its typing has handlers that need not answer with a promise
}
