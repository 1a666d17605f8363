import { get } from '../api/client.ts';
import { isExpired } from '../api/failures.ts';
import type { EventList, FeedEvent } from '../api/shapes.ts';

/** Events from before that are shown at first */
const BEFORE = 50;
/** s that a poll waits for an event, the longest there is */
export const WAIT = 30;
const LIMIT = 100;

/**
 * Calls `onEvents` with the account's last events, and with each that comes, until `signal` says that it is enough. Where the
 * feed does not go on from what was seen, because that is too long ago or an older backup was restored, it begins `anew`.
 * @param last sequence to go on from; undefined for the last few that there are
 */
export async function follow(
	last: number | undefined,
	signal: AbortSignal,
	onEvents: (events: FeedEvent[], anew: boolean) => void,
): Promise<void> {
	let after = last ?? (await beforeLast(signal));
	for (let wait = 0; !signal.aborted; wait = WAIT) {
		const next = await events(after, wait, signal);
		const list = next ?? (await lastEvents(signal));
		after = list.next_after;
		if (list.events.length > 0 || wait === 0 || next === undefined) onEvents(list.events, next === undefined);
	}
}

/** Undefined where the feed does not go on from there */
async function events(after: number, wait: number, signal: AbortSignal): Promise<EventList | undefined> {
	try {
		return await get<EventList>('/v1/events', { after, wait, limit: LIMIT }, signal);
	} catch (error) {
		if (!isExpired(error)) throw error;
		return undefined;
	}
}

/** The last few; of those, what is not kept any more is left out. */
async function lastEvents(signal: AbortSignal): Promise<EventList> {
	const list = await events(await beforeLast(signal), 0, signal);
	return list ?? get<EventList>('/v1/events', { after: 0, limit: LIMIT }, signal);
}

async function beforeLast(signal: AbortSignal): Promise<number> {
	return Math.max(0, (await endOfFeed(signal)) - BEFORE);
}

/** Sequence of the last event: the feed tells where it ends to whoever asks for a booking that is not there. */
export async function endOfFeed(signal: AbortSignal): Promise<number> {
	const nobody = { booking_id: Number.MAX_SAFE_INTEGER, limit: 1 };
	return (await get<EventList>('/v1/events', nobody, signal)).next_after;
}
