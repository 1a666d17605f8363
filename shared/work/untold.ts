import { inContext, workContext } from './deadline.ts';

/**
 * Runs work, and whatever it begins, whose caller waits for `Store.durable` before anybody outside is told of what it saw
 * or wrote. Embedded, its statements then do not wait for the disk, each for itself: a commit is on the disk only where
 * all that came before it are, so one wait, at the end, is for all of them (docs/adr/0036).
 */
export function untold<T>(work: () => T): T {
	const context = workContext();
	return context.isUntold ? work() : inContext({ ...context, isUntold: true }, work);
}

/** Whether the running code belongs to such work. */
export function isUntold(): boolean {
	return workContext().isUntold;
}
