import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { change } from '../api/client.ts';
import { useGet } from '../api/resource.ts';
import type { CalendarFeed, CalendarFeedList, NewCalendarFeed, Service } from '../api/shapes.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Check } from '../parts/field.tsx';
import { Icon } from '../parts/icons.tsx';
import { Empty, Shown, tell } from '../parts/notices.tsx';
import { ShownOnce } from '../parts/shown-once.tsx';
import { localMoment } from '../times.ts';

/** Secret addresses at which programs for calendars read the service's bookings: at most 10 */
export function FeedsPage({ service }: { service: Service }): VNode {
	const path = `/v1/services/${service.id}/calendar-feeds`;
	const list = useGet<CalendarFeedList>(path);
	const [includesCustomers, setIncludesCustomers] = useState(false);
	const [made, setMade] = useState<NewCalendarFeed>();
	const create = async () => {
		setMade(await change<NewCalendarFeed>('POST', path, { body: { include_customers: includesCustomers } }));
	};
	return (
		<div class="stack">
			<p class="lead">
				A feed is an address that a program for calendars subscribes to. Whoever has it sees the bookings of this
				service, without a key, until the feed is deleted: make one for each person.
			</p>
			<div class="card stack">
				<Check
					label="With customers’ names, e-mail addresses and phone numbers"
					checked={includesCustomers}
					onValue={setIncludesCustomers}
				/>
				<div class="actions">
					<Button kind="main" writes onPress={create}>
						Create a feed
					</Button>
				</div>
			</div>
			<Shown of={list}>
				{({ calendar_feeds: feeds }) =>
					feeds.length === 0 ? (
						<Empty title="No calendar feeds yet" />
					) : (
						<div class="table-box">
							<table class="table">
								<caption class="hidden">Calendar feeds</caption>
								<thead>
									<tr>
										<th scope="col">Feed</th>
										<th scope="col">Created</th>
										<th scope="col">Tells of</th>
										<th scope="col">
											<span class="hidden">Delete</span>
										</th>
									</tr>
								</thead>
								<tbody>
									{feeds.map((feed) => (
										<Feed key={feed.id} feed={feed} path={path} />
									))}
								</tbody>
							</table>
						</div>
					)
				}
			</Shown>
			{made && (
				<ShownOnce
					title="The address of the feed"
					secret={new URL(made.address, location.origin).href}
					told="The address was copied."
					onClose={() => setMade(undefined)}
				>
					Subscribe to it in a program for calendars, where it asks for a URL.
				</ShownOnce>
			)}
		</div>
	);
}

function Feed({ feed: { id, created_at, include_customers }, path }: { feed: CalendarFeed; path: string }): VNode {
	const [isAsked, setAsked] = useState(false);
	const remove = async () => {
		await change('DELETE', `${path}/${id}`);
		tell('The feed is gone.');
	};
	return (
		<tr>
			<td>{id}</td>
			<td>{localMoment(created_at)}</td>
			<td>{include_customers ? 'Bookings and customers' : 'Bookings'}</td>
			<td class="number">
				<Button kind="quiet" label={`Delete feed ${id}…`} writes onPress={() => setAsked(true)}>
					<Icon name="trash" />
				</Button>
				{isAsked && (
					<Dialog title={`Delete feed ${id}?`} action="Delete" danger onAct={remove} onClose={() => setAsked(false)}>
						<p>Its address leads to nothing from then on, in each program that has subscribed to it.</p>
					</Dialog>
				)}
			</td>
		</tr>
	);
}
