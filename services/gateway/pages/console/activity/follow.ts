import { get } from '../api/client.ts';
import { Refusal } from '../api/failures.ts';
import type { EventList, FeedEvent } from '../api/shapes.ts';

/** Events from before that are shown at first */
const BEFORE = 50;
/** s that a poll waits for an event, the longest there is */
export const WAIT = 30;
const LIMIT = 100;

/**
 * Calls `onEvents` with the account's last events, and with each that comes, until `signal` says that it is enough.
 * @param last sequence to go on from; undefined for the last few that there are
 */
export async function follow(
	last: number | undefined,
	signal: AbortSignal,
	onEvents: (events: FeedEvent[]) => void,
): Promise<void> {
	let after = last ?? Math.max(0, (await endOfFeed(signal)) - BEFORE);
	for (let wait = 0; !signal.aborted; wait = WAIT) {
		const list = await events(after, wait, signal);
		after = list.next_after;
		if (list.events.length > 0 || wait === 0) onEvents(list.events);
	}
}

/** What is not kept any more is left out. */
async function events(after: number, wait: number, signal: AbortSignal): Promise<EventList> {
	try {
		return await get<EventList>('/v1/events', { after, wait, limit: LIMIT }, signal);
	} catch (error) {
		if (!(error instanceof Refusal) || error.code !== 'events_expired') throw error;
		return get<EventList>('/v1/events', { after: 0, limit: LIMIT }, signal);
	}
}

/** Sequence of the last event: the feed tells where it ends to whoever asks for a booking that is not there. */
export async function endOfFeed(signal: AbortSignal): Promise<number> {
	const nobody = { booking_id: Number.MAX_SAFE_INTEGER, limit: 1 };
	return (await get<EventList>('/v1/events', nobody, signal)).next_after;
}
