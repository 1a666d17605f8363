import type { ActionHandler, ActionSchema, Context, Middleware } from 'moleculer';
import type { Store } from '../store/store.ts';
import { DEFAULT_TIMEOUT, Deadline, underDeadline } from '../work/deadline.ts';
import { underWay } from '../work/long-work.ts';
import { Reading, Writing } from '../work/reading.ts';
import { isUntold, untold } from '../work/untold.ts';

/**
 * Each action runs under its deadline: the one of the code that asks for it in this process, or what its caller named,
 * whichever passes first. One that arrives after it is not begun.
 */
export function actionDeadlines(): Middleware {
	return {
		name: 'ActionDeadlines',
		localAction(next: ActionHandler) {
			return function timed(this: unknown, context: Context) {
				const run = (deadline: Deadline) => {
					deadline.assertTimeLeft();
					return next.call(this as never, context);
				};
				const [own, named] = [Deadline.current(), new Deadline(context.options.timeout || DEFAULT_TIMEOUT)];
				return own !== undefined && own.at <= named.at ? run(own) : underDeadline(named, () => run(named));
			};
		},
	};
}

/**
 * An action answers when all that it saw and wrote is on the disk, unless its caller waits for that himself. Embedded only:
 * in a cluster each statement waits.
 */
export function durableAnswers(store: Store): Middleware {
	return {
		name: 'DurableAnswers',
		localAction(next: ActionHandler) {
			return function durable(this: unknown, context: Context) {
				const run = () => next.call(this as never, context) as Promise<unknown>;
				return isUntold() ? run() : untold(run).finally(() => store.durable());
			};
		},
	};
}

/**
 * What travels with a call in `meta`: that it only reads, or that it may write, and back with its answer, an error too,
 * how much work it was.
 */
interface Meta {
	reads?: boolean;
	writes?: boolean;
	units?: number;
}

/** ms before its caller's time is up at which a read ends, so that what it read is still told */
const RESERVE = 30;

/** It waits for events rather than that it works. */
const WAITS = 'notifications.listEvents';

/** Carries reads over the bus. Within a process they go with the code: see `Reading`. */
export function carryReading(): Middleware {
	return {
		name: 'CarryReading',
		localAction(next: ActionHandler, action: ActionSchema) {
			return function read(this: unknown, context: Context) {
				const meta = context.meta as Meta;
				const run = () => next.call(this as never, context) as Promise<unknown>;
				if (Reading.current() !== undefined) return run();
				if (meta.reads !== true) return underWay(undefined, meta.writes ? () => asWriting(meta, run) : run);
				const { account_id } = (context.params ?? {}) as { account_id?: string };
				const deadline = Deadline.of(context);
				const reading = new Reading(account_id, { remaining: () => deadline.remaining() - RESERVE });
				const end = () => {
					meta.units = reading.units;
					reading.end();
				};
				const read = () => (action.name === WAITS ? run() : underWay(reading, run));
				return reading.run(read).finally(end);
			};
		},
		remoteAction(next: ActionHandler) {
			return function ask(this: unknown, context: Context) {
				const take = () => {
					const meta = context.meta as Meta;
					Reading.payer()?.add(meta.units ?? 0);
					delete meta.units; // or it would count again where contexts are merged
				};
				return next.call(this as never, context).finally(take);
			};
		},
	};
}

/** Counts what a call writes here, unless it came from this process: then it is counted already. */
function asWriting<T>(meta: Meta, run: () => Promise<T>): Promise<T> {
	if (Reading.payer() !== undefined) return run();
	const writing = new Writing();
	const tell = () => {
		meta.units = writing.units;
	};
	return Reading.runWriting(writing, run).finally(tell);
}
