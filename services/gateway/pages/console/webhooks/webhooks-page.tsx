import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { useGet } from '../api/resource.ts';
import type { Webhook, WebhookList } from '../api/shapes.ts';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/icons.tsx';
import { Empty, Shown } from '../parts/notices.tsx';
import { Badge } from '../parts/status.tsx';
import { adjust, href, idIn } from '../route.ts';
import { localMoment } from '../times.ts';
import { NewWebhook } from './new-webhook.tsx';
import { WebhookPanel } from './webhook-panel.tsx';

/** Where events are posted to, and what came of it */
export function WebhooksPage(): VNode {
	const list = useGet<WebhookList>('/v1/webhooks', { page: 1, page_size: 1000 });
	const [isNew, setNew] = useState(false);
	const open = list.data?.webhooks.find(({ id }) => id === idIn('webhook'));
	return (
		<section class="page">
			<header class="page-head">
				<h1>Webhooks</h1>
				<Button kind="main" writes onPress={() => setNew(true)}>
					<Icon name="plus" /> New webhook
				</Button>
			</header>
			<div class="with-panel">
				<div class="calendar-side">
					<Shown of={list}>
						{({ webhooks }) =>
							webhooks.length === 0 ? (
								<Empty title="No webhooks yet">
									<p>A webhook tells another program what happens to bookings.</p>
								</Empty>
							) : (
								<ul class="card rows-card">
									{webhooks.map((webhook) => (
										<Row key={webhook.id} webhook={webhook} isOpen={webhook.id === open?.id} />
									))}
								</ul>
							)
						}
					</Shown>
				</div>
				{open && <WebhookPanel key={open.id} webhook={open} onClose={() => adjust({ webhook: undefined })} />}
			</div>
			{isNew && <NewWebhook onClose={() => setNew(false)} />}
		</section>
	);
}

function Row({ webhook, isOpen }: { webhook: Webhook; isOpen: boolean }): VNode {
	const { id, url, description, events, enabled, failing_since } = webhook;
	return (
		<li>
			<a class="row" href={href('webhooks', { webhook: id })} aria-current={isOpen ? 'true' : undefined}>
				<span>
					<span class="row-title">{url}</span>
					<span class="row-note">
						{description ? `${description} · ` : ''}
						{events.includes('*') ? 'all events' : events.join(', ')}
						{failing_since && ` · failing since ${localMoment(failing_since)}`}
					</span>
				</span>
				<Badge kind={enabled ? (failing_since ? 'pending' : 'enabled') : 'disabled'}>
					{enabled ? (failing_since ? 'failing' : 'enabled') : 'disabled'}
				</Badge>
			</a>
		</li>
	);
}
