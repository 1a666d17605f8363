import { AsyncLocalStorage } from 'node:async_hooks';
import type { Deadline } from './deadline.ts';
import type { Reading } from './reading.ts';
import type { Writing } from './writing.ts';

/** What the running code belongs to. In one storage, for every request pays for each. */
export interface WorkContext {
	/** By which it must have answered; undefined: nobody waits */
	readonly deadline: Deadline | undefined;
	/** The request that reads or writes, and pays for it; undefined: no request's */
	readonly payer: Reading | Writing | undefined;
}

const NOBODYS: WorkContext = { deadline: undefined, payer: undefined };

const current = new AsyncLocalStorage<WorkContext>();

/** Of the code that runs, across every `await`. */
export function workContext(): WorkContext {
	return current.getStore() ?? NOBODYS;
}

/** Runs `work`, and whatever it begins, in a context. */
export function inContext<T>(context: WorkContext, work: () => T): T {
	return current.run(context, work);
}
