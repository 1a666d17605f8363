import type { VNode } from 'preact';
import { useEffect, useErrorBoundary, useRef } from 'preact/hooks';
import { ActivityPage } from './activity/activity-page.tsx';
import { useLive } from './activity/use-live.ts';
import { connection, mayWrite, session, signOut } from './api/session.ts';
import type { Service } from './api/shapes.ts';
import { CalendarPage } from './calendar/calendar-page.tsx';
import { CustomersPage } from './customers/customers-page.tsx';
import { Button } from './parts/button.tsx';
import { Icon, type IconName, Mark } from './parts/icons.tsx';
import { Failure, Notices } from './parts/notices.tsx';
import { Badge } from './parts/status.tsx';
import { href, type PageName, route } from './route.ts';
import { BookingsPage } from './service/bookings-page.tsx';
import { ClosuresPage } from './service/closures-page.tsx';
import { FeedsPage } from './service/feeds-page.tsx';
import { SchedulePage } from './service/schedule-page.tsx';
import { ServiceFrame } from './service/service-frame.tsx';
import { SignIn } from './sign-in.tsx';
import { UsagePage } from './usage/usage-page.tsx';
import { WebhooksPage } from './webhooks/webhooks-page.tsx';

interface Place {
	page: PageName;
	title: string;
	icon: IconName;
	/** Pages that are reached from it */
	within: readonly PageName[];
}

const PLACES: readonly Place[] = [
	{
		page: 'calendar',
		title: 'Calendar',
		icon: 'calendar',
		within: ['calendar', 'bookings', 'schedule', 'closures', 'feeds'],
	},
	{ page: 'customers', title: 'Customers', icon: 'people', within: ['customers'] },
	{ page: 'activity', title: 'Activity', icon: 'activity', within: ['activity'] },
	{ page: 'webhooks', title: 'Webhooks', icon: 'webhook', within: ['webhooks'] },
	{ page: 'usage', title: 'Usage', icon: 'usage', within: ['usage'] },
];

const TITLES: Record<PageName, string> = {
	calendar: 'Calendar',
	bookings: 'Bookings',
	schedule: 'Weekly schedule',
	closures: 'Closed days',
	feeds: 'Calendar feeds',
	customers: 'Customers',
	activity: 'Activity',
	webhooks: 'Webhooks',
	usage: 'Usage',
};

export function App(): VNode {
	const { page } = route.value;
	useEffect(() => {
		document.title = session.value === undefined ? 'Slotwise console' : `${TITLES[page]} · Slotwise console`;
	}, [page, session.value]);
	return (
		<>
			{session.value === undefined ? <SignIn /> : <Frame page={page} />}
			<Notices />
		</>
	);
}

function Frame({ page }: { page: PageName }): VNode {
	const main = useRef<HTMLElement>(null);
	useEffect(() => main.current!.focus({ preventScroll: true }), []);
	useLive();
	return (
		<div class="frame">
			<button type="button" class="skip" onClick={() => main.current!.focus()}>
				Skip to the content
			</button>
			<header class="bar">
				<a class="brand" href="#/calendar">
					<Mark />
					Slotwise
				</a>
				<nav aria-label="Console">
					{PLACES.map(({ page: target, title, icon, within }) => (
						<a key={target} href={href(target)} aria-current={within.includes(page) ? 'page' : undefined}>
							<Icon name={icon} />
							<span>{title}</span>
						</a>
					))}
				</nav>
				<div class="who">
					<p>
						<span class="plan">{session.value!.plan}</span>
						{mayWrite() ? <Badge kind="quiet">read and write</Badge> : <Badge kind="pending">read only</Badge>}
					</p>
					<Button kind="quiet" label="Sign out" onPress={() => signOut()}>
						<Icon name="leave" />
						<span class="text">Sign out</span>
					</Button>
				</div>
			</header>
			<main ref={main} id="content" tabIndex={-1}>
				{connection.value === 'limited' && (
					<p class="away" role="status">
						<Icon name="warning" />
						The plan’s rate of requests is used up. It goes on by itself in a few seconds.
					</p>
				)}
				{connection.value === 'away' && (
					<p class="away" role="alert">
						<Icon name="warning" />
						The gateway does not answer. What you see may be old; it is tried again until it is back.
					</p>
				)}
				<Content page={page} />
			</main>
		</div>
	);
}

function Content({ page }: { page: PageName }): VNode {
	const [error, again] = useErrorBoundary(reportError); // in the browser's console it is seen all the same
	const address = route.value;
	useEffect(() => {
		if (error !== undefined) again();
	}, [address]);
	return error === undefined ? <Page page={page} /> : <Failure error={new Error('This page cannot be shown.')} />;
}

function Page({ page }: { page: PageName }): VNode {
	switch (page) {
		case 'customers':
			return <CustomersPage />;
		case 'activity':
			return <ActivityPage />;
		case 'webhooks':
			return <WebhooksPage />;
		case 'usage':
			return <UsagePage />;
		default:
			return <ServiceFrame page={page}>{(service) => <ServicePage page={page} service={service} />}</ServiceFrame>;
	}
}

function ServicePage({ page, service }: { page: PageName; service: Service }): VNode {
	switch (page) {
		case 'bookings':
			return <BookingsPage service={service} />;
		case 'schedule':
			return <SchedulePage service={service} />;
		case 'closures':
			return <ClosuresPage service={service} />;
		case 'feeds':
			return <FeedsPage service={service} />;
		default:
			return <CalendarPage service={service} />;
	}
}
