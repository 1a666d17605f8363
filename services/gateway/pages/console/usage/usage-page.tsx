import type { VNode } from 'preact';
import { useGet } from '../api/resource.ts';
import type { Usage } from '../api/shapes.ts';
import { Shown } from '../parts/notices.tsx';
import { grouped } from '../parts/numbers.ts';
import { localMoment } from '../times.ts';
import { UsagePlot } from './usage-plot.tsx';

/** What was used of the plan in this month, and what will have been if it goes on like this */
export function UsagePage(): VNode {
	const usage = useGet<Usage>('/v1/usage');
	return (
		<section class="page">
			<header class="page-head">
				<h1>Usage</h1>
				{usage.data && (
					<p class="lead">
						Plan {usage.data.package}, {monthName(usage.data.month)}. The counts begin anew on{' '}
						{localMoment(usage.data.resets_at)}.
					</p>
				)}
			</header>
			<Shown of={usage}>
				{({ requests, bookings, services, month, resets_at, overages_enabled: more }) => (
					<div class="plots">
						<UsagePlot title="Requests" usage={requests} month={month} end={resets_at} hasOverages={more} />
						<UsagePlot title="Bookings" usage={bookings} month={month} end={resets_at} hasOverages={more} />
						<section class="card" aria-label="Services">
							<h2>Services</h2>
							<p class="figure">
								<strong>{grouped(services.used)}</strong>{' '}
								{services.limit === null ? 'of any number' : `of ${grouped(services.limit)}`}
							</p>
							{services.limit !== null && (
								<meter min={0} max={services.limit} value={services.used} aria-label="Services of the plan in use" />
							)}
						</section>
					</div>
				)}
			</Shown>
		</section>
	);
}

function monthName(month: string): string {
	const options = { month: 'long', year: 'numeric', timeZone: 'UTC' } as const;
	return new Intl.DateTimeFormat('en-GB', options).format(new Date(`${month}-01T00:00:00Z`));
}
