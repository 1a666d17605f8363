import type { ActionHandler, Context, Middleware } from 'moleculer';
import { DEFAULT_TIMEOUT, Deadline, underDeadline } from '../work/deadline.ts';

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
