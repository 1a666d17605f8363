import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { change } from '../api/client.ts';
import { useGet } from '../api/resource.ts';
import type { Delivery, DeliveryList, Webhook, WebhookWithSecret } from '../api/shapes.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Choice } from '../parts/field.tsx';
import { Empty, Shown, tell } from '../parts/notices.tsx';
import { Pager, ROWS } from '../parts/pager.tsx';
import { Panel } from '../parts/panel.tsx';
import { Badge } from '../parts/status.tsx';
import { adjust } from '../route.ts';
import { localMoment } from '../times.ts';
import { Secret } from './new-webhook.tsx';

interface Props {
	webhook: Webhook;
	onClose: () => void;
}

const REASONS = {
	requested: 'It was disabled by a client.',
	gone: 'It was disabled because its endpoint answered 410.',
	failing: 'It was disabled because every attempt of five days failed.',
};

export function WebhookPanel({ webhook, onClose }: Props): VNode {
	const { id, url, enabled, version, disabled_reason: reason, missed } = webhook;
	const [open, setOpen] = useState<'delete' | WebhookWithSecret>();
	const path = `/v1/webhooks/${id}`;
	const toggle = async () => {
		await change<Webhook>('PATCH', path, { body: { enabled: !enabled }, version });
		tell(enabled ? 'Disabled: nothing is sent.' : 'Enabled: it goes on with the next event.');
	};
	const test = async () => {
		await change<Delivery>('POST', `${path}/test`);
		tell('A test is on its way; what came of it is among the deliveries.');
	};
	const rotate = async () => setOpen(await change<WebhookWithSecret>('POST', `${path}/rotate-secret`));
	const remove = async () => {
		await change('DELETE', path, { version });
		tell('The webhook is gone.');
		adjust({ webhook: undefined });
	};
	return (
		<Panel of={`webhook ${id}`} title={url} above={<p class="above">Webhook {id}</p>} onClose={onClose}>
			{reason && <p class="hint">{REASONS[reason]}</p>}
			{missed && <p class="hint">Events {`${missed.first} – ${missed.last}`} were not kept long enough to be sent.</p>}
			<div class="actions">
				<Button writes disabled={!enabled} onPress={test}>
					Send a test
				</Button>
				<Button writes onPress={toggle}>
					{enabled ? 'Disable' : 'Enable'}
				</Button>
				<Button writes onPress={rotate}>
					New secret
				</Button>
				<Button kind="danger" writes onPress={() => setOpen('delete')}>
					Delete…
				</Button>
			</div>
			<Deliveries path={path} isEnabled={enabled} />
			{open === 'delete' && (
				<Dialog title="Delete this webhook?" action="Delete" danger onAct={remove} onClose={() => setOpen(undefined)}>
					<p>Nothing more is sent to {url}, and its deliveries are gone.</p>
				</Dialog>
			)}
			{typeof open === 'object' && <Secret webhook={open} onClose={() => setOpen(undefined)} />}
		</Panel>
	);
}

/** ms between two looks at deliveries that are under way, which those are that are due within `SOON` */
const [LOOK_AGAIN, SOON] = [2_000, 10_000];

const STATUSES = [
	['', 'All'],
	['pending', 'Pending'],
	['delivered', 'Delivered'],
	['failed', 'Failed'],
] as const;

function Deliveries({ path, isEnabled }: { path: string; isEnabled: boolean }): VNode {
	const [status, setStatus] = useState('');
	const [page, setPage] = useState(1);
	const list = useGet<DeliveryList>(`${path}/deliveries`, { status, page, page_size: ROWS });
	const isUnderWay =
		list.data?.deliveries.some((one) => one.status === 'pending' && isSoon(one.next_attempt_at)) ?? false;
	useEffect(() => {
		if (!isUnderWay) return undefined;
		const timer = setInterval(list.reload, LOOK_AGAIN);
		return () => clearInterval(timer);
	}, [isUnderWay]);
	return (
		<>
			<h3>Deliveries</h3>
			<div class="toolbar">
				<Choice
					label="Status"
					isQuiet
					value={status}
					options={STATUSES}
					onValue={(value) => {
						setPage(1);
						setStatus(value);
					}}
				/>
				<Button onPress={list.reload}>Look again</Button>
			</div>
			<Shown of={list}>
				{({ deliveries, pagination }) => (
					<>
						{deliveries.length === 0 && <Empty title="No deliveries" />}
						<ul class="deliveries">
							{deliveries.map((delivery) => (
								<Row key={delivery.id} delivery={delivery} path={path} isEnabled={isEnabled} />
							))}
						</ul>
						<Pager what="deliveries" pagination={pagination} onPage={setPage} />
					</>
				)}
			</Shown>
		</>
	);
}

function isSoon(moment: string | null): boolean {
	return moment !== null && Date.parse(moment) - Date.now() < SOON;
}

interface RowProps {
	delivery: Delivery;
	path: string;
	isEnabled: boolean;
}

function Row({ delivery, path, isEnabled }: RowProps): VNode {
	const { id, event_type, event_id, status, attempts, next_attempt_at, created_at } = delivery;
	const again = async () => {
		await change<Delivery>('POST', `${path}/deliveries/${id}/redeliver`);
		tell('It is sent again.');
	};
	return (
		<li>
			<details>
				<summary>
					<span>
						<span class="row-title">{event_type}</span>
						<span class="row-note">
							{event_id} · {localMoment(created_at)}
						</span>
					</span>
					<Badge kind={status}>{status}</Badge>
				</summary>
				<ol class="attempts">
					{attempts.length === 0 && <li>No attempt yet</li>}
					{attempts.map(({ at, duration, status: code, error }) => (
						<li key={at}>
							<span>{localMoment(at)}</span>
							<span>{code ?? error ?? 'no answer'}</span>
							<span>{duration} ms</span>
						</li>
					))}
				</ol>
				{next_attempt_at && <p class="hint">Tried next at {localMoment(next_attempt_at)}</p>}
				<Button writes disabled={!isEnabled} onPress={again}>
					Send again
				</Button>
			</details>
		</li>
	);
}
