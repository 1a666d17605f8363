import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Resource, useGet } from '../api/resource.ts';
import type { Service, ServiceList } from '../api/shapes.ts';
import { Button } from '../parts/button.tsx';
import { Choice } from '../parts/field.tsx';
import { Icon } from '../parts/icons.tsx';
import { Empty, Shown } from '../parts/notices.tsx';
import { go, href, idIn, type PageName } from '../route.ts';
import { NewService } from './new-service.tsx';

const TABS = [
	['calendar', 'Calendar'],
	['bookings', 'Bookings'],
	['schedule', 'Weekly schedule'],
	['closures', 'Closed days'],
	['feeds', 'Calendar feeds'],
] as const;

/** As many as the choice offers; others are reached by the address. */
const MOST = 1000;

interface Props {
	page: PageName;
	children: (service: Service) => ComponentChildren;
}

/** What is about one service: which one, and its pages */
export function ServiceFrame({ page, children }: Props): VNode {
	const list = useGet<ServiceList>('/v1/services', { page: 1, page_size: MOST });
	const wanted = idIn('service');
	const listed = list.data?.services.find(({ id }) => id === wanted);
	const isOther = list.data !== undefined && wanted !== undefined && listed === undefined;
	const other = useGet<Service>(isOther ? `/v1/services/${wanted}` : undefined);
	const [isNew, setNew] = useState(false);
	const close = () => setNew(false);
	return (
		<Shown of={list}>
			{({ services }) => {
				const service = isOther ? other.data : (listed ?? services[0]);
				if (isOther && service === undefined) return <Missing of={other} page={page} />;
				return (
					<>
						{service === undefined ? (
							<section class="page">
								<h1 class="hidden">Calendar</h1>
								<Empty title="There is nothing to book yet">
									<p>A service is what customers book: a lesson, a table, a tour. Its week says when.</p>
									<Button kind="main" writes onPress={() => setNew(true)}>
										Create the first service
									</Button>
								</Empty>
							</section>
						) : (
							<section class="page">
								<header class="page-head">
									<h1 class="hidden">
										{service.name}: {TABS.find(([name]) => name === page)?.[1]}
									</h1>
									<div class="service-choice">
										<Choice
											label="Service"
											isQuiet
											value={String(service.id)}
											options={(isOther ? [service, ...services] : services).map(
												({ id, name }) => [String(id), name] as const,
											)}
											onValue={(id) => go(page, { service: id })}
										/>
										<Button kind="quiet" label="New service" writes onPress={() => setNew(true)}>
											<Icon name="plus" />
										</Button>
									</div>
									<Tabs page={page} service={service} />
								</header>
								<div class="page-body" key={service.id}>
									{children(service)}
								</div>
							</section>
						)}
						{isNew && <NewService onClose={close} />}
					</>
				);
			}}
		</Shown>
	);
}

/** What the address names is being read, or there is no such service */
function Missing({ of, page }: { of: Resource<Service>; page: PageName }): VNode {
	return (
		<section class="page">
			<h1 class="hidden">Calendar</h1>
			<Shown of={of}>{() => null}</Shown>
			{of.failure && <a href={href(page)}>See the services that there are</a>}
		</section>
	);
}

/** On a telephone they are wider than the screen: the one that is open comes into view. */
function Tabs({ page, service }: { page: PageName; service: Service }): VNode {
	const open = useRef<HTMLAnchorElement>(null);
	useEffect(() => open.current?.scrollIntoView({ block: 'nearest', inline: 'center' }), [page]);
	return (
		<nav class="tabs" aria-label="Pages of the service">
			{TABS.map(([name, title]) => (
				<a
					key={name}
					ref={name === page ? open : undefined}
					href={href(name, { service: service.id })}
					aria-current={name === page ? 'page' : undefined}
				>
					{title}
				</a>
			))}
		</nav>
	);
}
