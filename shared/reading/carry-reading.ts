import type { ActionHandler, Context, Middleware } from 'moleculer';
import { Deadline } from '../deadline.ts';
import { Reading } from './reading.ts';

/** What travels with a call in `meta`: that it only reads, and back with its answer, an error too, how much it read. */
interface Meta {
	reads?: boolean;
	units?: number;
}

/** ms before its caller's time is up at which a read ends, so that what it read is still told */
const RESERVE = 30;

/** Carries reads over the bus. Within a process they go with the code: see `Reading`. */
export function carryReading(): Middleware {
	return {
		name: 'CarryReading',
		localAction(next: ActionHandler) {
			return function read(this: unknown, context: Context) {
				const meta = context.meta as Meta;
				if (meta.reads !== true || Reading.current() !== undefined) return next.call(this as never, context);
				const { account_id } = (context.params ?? {}) as { account_id?: string };
				const deadline = Deadline.of(context);
				const reading = new Reading(account_id, { remaining: () => deadline.remaining() - RESERVE });
				const end = () => {
					meta.units = reading.units;
					reading.end();
				};
				return reading.run(() => next.call(this as never, context)).finally(end);
			};
		},
		remoteAction(next: ActionHandler) {
			return function ask(this: unknown, context: Context) {
				const take = () => {
					const meta = context.meta as Meta;
					Reading.current()?.add(meta.units ?? 0);
					delete meta.units; // or it would count again where contexts are merged
				};
				return next.call(this as never, context).finally(take);
			};
		},
	};
}
