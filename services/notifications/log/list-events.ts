import type { EventList } from '../../../shared/contract/schemas/event.ts';
import type { Deadline } from '../../../shared/work/deadline.ts';
import type { AppendSignals } from './append-signals.ts';
import type { EventStore } from './event-store.ts';
import { readEvents, type Selection } from './read-events.ts';

export interface ListEvents extends Selection {
	/** s to wait for an event where there is none yet; 0 to 30 */
	wait?: number;
}

export interface Waiting {
	signals: AppendSignals;
	/** Whether this process is being stopped: then nobody waits any more. */
	isStopping(): boolean;
}

/** ms between two looks without a signal, which may get lost between processes */
const LOOK_AGAIN = 1_000;
/** ms before the caller's deadline at which an empty answer leaves */
const RESERVE = 500;

/**
 * The account's events behind `after`, oldest first. With `wait`, an answer that would be empty is held back until there
 * is an event, at most that long.
 * @throws events_expired
 */
export async function listEvents(
	store: EventStore,
	{ signals, isStopping }: Waiting,
	{ wait = 0, ...selection }: ListEvents,
	deadline: Deadline,
): Promise<EventList> {
	const end = performance.now() + Math.min(wait * 1000, deadline.remaining() - RESERVE);
	const watch = signals.watch(selection.account_id);
	try {
		for (let { after } = selection; ; ) {
			const list = await readEvents(store, { ...selection, after });
			const left = end - performance.now();
			if (list.events.length > 0 || left <= 0 || isStopping()) return list;
			after = list.next_after; // what was not asked for is not read again
			await watch.wait(Math.min(left, LOOK_AGAIN));
		}
	} finally {
		watch.close();
	}
}
