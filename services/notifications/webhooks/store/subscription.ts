import type { Event } from '../../../../shared/contract/schemas/event.ts';
import { type Clock, timestamp } from '../../../../shared/engine/clock.ts';
import type { EventStore } from '../../log/event-store.ts';
import type { QueueTime } from './queue-time.ts';
import type { PastSubscription, WebhookDocument } from './webhook.model.ts';

/** ms that a past subscription is kept for events that come into the log late, as behind a relay that stalled */
const KEPT = 3_600_000;
/** The same where an event's time of day tells nothing */
const KEPT_FOR_ALL = 60_000;
/** ms by which clocks may differ and yet be right */
const TOLERANCE = 1_000;
/** Of one webhook; where it has more, the two oldest become one that takes what either took */
const MOST = 10;

/** What the field becomes where the present subscription ends: another one follows, or none. */
export async function subscriptionEnded(
	{ events, time }: { events: EventStore; time: QueueTime },
	webhook: WebhookDocument,
): Promise<Pick<WebhookDocument, 'past'>> {
	const until = await events.newestSequence(webhook.account_id, webhook.cursor);
	const ended = time.now();
	const past = webhook.past.filter((each) => each.until > webhook.cursor || each.ended > ended - KEPT);
	past.push({ events: webhook.enabled ? webhook.events : [], until, ended });
	while (past.length > MOST) {
		const [oldest, next] = past.splice(0, 2) as [PastSubscription, PastSubscription];
		past.unshift({ ...next, events: [...new Set([...oldest.events, ...next.events])] });
	}
	return { past };
}

/**
 * Whether the webhook is to get the event. One that happened in the future, by this process' clock, comes from a process
 * whose clock is another: it may have happened before any subscription that ended a short while ago.
 */
export function takes(
	{ clock, time }: { clock: Clock; time: QueueTime },
	{ past, events }: Pick<WebhookDocument, 'past' | 'events'>,
	event: Event,
): boolean {
	const isTimed = event.timestamp <= timestamp(clock.now() + TOLERANCE);
	const mayBeBefore = ({ ended }: PastSubscription) =>
		isTimed ? event.timestamp < timestamp(time.toWall(ended)) : ended > time.now() - KEPT_FOR_ALL;
	const held = past.findIndex(({ until }) => event.sequence <= until);
	const then = held === -1 ? events : past[held]!.events;
	const before = (held === -1 ? past : past.slice(0, held)).filter(mayBeBefore);
	return [then, ...before.map((each) => each.events)].some(
		(types) => types.includes('*') || types.includes(event.type),
	);
}

/** Where to read on in the log: behind the cursor, and behind what came while the webhook was disabled. */
export function startOf({ past, cursor }: Pick<WebhookDocument, 'past' | 'cursor'>): number {
	let start = cursor;
	let from = 0;
	for (const { events, until } of past) {
		if (events.length === 0 && start >= from && start < until) start = until;
		from = until;
	}
	return start;
}

/** Sequence of the last event that may be queued: where the webhook is disabled, what came before it was. */
export function endOf({ past, enabled, cursor }: Pick<WebhookDocument, 'past' | 'enabled' | 'cursor'>): number {
	if (enabled) return Number.POSITIVE_INFINITY;
	return past.at(-1)?.until ?? cursor;
}
