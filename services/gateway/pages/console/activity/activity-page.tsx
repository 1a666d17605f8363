import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { connection } from '../api/session.ts';
import type { FeedEvent } from '../api/shapes.ts';
import { Differences, isOfBooking, WORDS } from '../calendar/booking-history.tsx';
import { nameOf } from '../calendar/names.ts';
import { Button } from '../parts/button.tsx';
import { Empty, Failure } from '../parts/notices.tsx';
import { Badge } from '../parts/status.tsx';
import { href } from '../route.ts';
import { localMoment, shortDate, span } from '../times.ts';
import { follow } from './follow.ts';

/** Rows that are kept: older ones are in the feed. */
const MOST = 500;

/** What happens, as it happens: the feed of events by long poll */
export function ActivityPage(): VNode {
	const [events, setEvents] = useState<FeedEvent[]>([]);
	const [isLive, setLive] = useState(true);
	const [isKnown, setKnown] = useState(false);
	const [failure, setFailure] = useState<Error>();
	useEffect(() => {
		if (!isLive) return undefined;
		const ended = new AbortController();
		const last = events[0]?.sequence;
		follow(last, ended.signal, (more, anew) => {
			setKnown(true);
			setEvents((before) => [...more.toReversed(), ...(anew ? [] : before)].slice(0, MOST));
		}).catch((error: Error) => {
			if (ended.signal.aborted) return;
			setFailure(error);
			setLive(false);
		});
		return () => ended.abort();
	}, [isLive]);
	const toggle = () => {
		setFailure(undefined);
		setLive(!isLive);
	};
	return (
		<section class="page">
			<header class="page-head">
				<h1>Activity</h1>
				<p class={isLive && connection.value !== 'away' ? 'live' : 'live off'} role="status">
					{!isLive ? 'Paused' : connection.value === 'away' ? 'Waiting for the gateway' : 'Live'}
				</p>
				<Button onPress={toggle}>{isLive ? 'Pause' : 'Go on'}</Button>
			</header>
			<Failure error={failure} />
			{events.length === 0 ? (
				<Empty title={isKnown ? 'Nothing has happened yet' : 'Looking…'}>
					<p>What happens to bookings comes here by itself.</p>
				</Empty>
			) : (
				<ol class="feed card" aria-label="Events, the last first">
					{events.map((event) => (
						<Row key={event.sequence} event={event} />
					))}
				</ol>
			)}
		</section>
	);
}

const KINDS: Record<string, string> = {
	'booking.created': 'some',
	'booking.confirmed': 'confirmed',
	'booking.cancelled': 'full',
	'booking.updated': 'most',
	'booking.deleted': 'closed',
};

function Row({ event }: { event: FeedEvent }): VNode {
	const { type, timestamp, sequence } = event;
	const when = (
		<p class="hint">
			<time dateTime={timestamp}>{localMoment(timestamp)}</time> · {sequence}
		</p>
	);
	if (!isOfBooking(event)) {
		return (
			<li>
				<Badge kind="closed">Erased</Badge>
				<p>
					A customer, of {event.data.booking_ids.length} {event.data.booking_ids.length === 1 ? 'booking' : 'bookings'}
				</p>
				{when}
			</li>
		);
	}
	const { data } = event;
	return (
		<li>
			<Badge kind={KINDS[event.type] ?? ''}>{WORDS[event.type] ?? type}</Badge>
			<div>
				<p>
					<bdi>
						<a href={href('calendar', { service: data.service_id, booking: data.id, date: data.date })}>
							{nameOf(data)}
						</a>
					</bdi>
					, {shortDate(data.date)}, {span(data)}
				</p>
				<Differences event={event} />
			</div>
			{when}
		</li>
	);
}
