import type { ActionHandler, Context, Middleware } from 'moleculer';
import { Deadline, underDeadline } from './deadline.ts';

/** Each action runs under its deadline; one that arrives after it is not begun. */
export function actionDeadlines(): Middleware {
	return {
		name: 'ActionDeadlines',
		localAction(next: ActionHandler) {
			return function timed(this: unknown, context: Context) {
				// not `Deadline.of`: embedded, the caller's own deadline is there
				const deadline = underDeadline(undefined, () => Deadline.of(context));
				return underDeadline(deadline, async () => {
					deadline.assertTimeLeft();
					return next.call(this as never, context);
				});
			};
		},
	};
}
