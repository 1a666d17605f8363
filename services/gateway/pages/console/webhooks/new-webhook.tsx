import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { change } from '../api/client.ts';
import type { EventType, WebhookWithSecret } from '../api/shapes.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Check, Field } from '../parts/field.tsx';
import { ShownOnce } from '../parts/shown-once.tsx';
import { useIdempotencyKey } from '../parts/use-idempotency-key.ts';
import { adjust } from '../route.ts';

/** Each type of the contract: one that is left out does not compile. */
const TYPES = Object.keys({
	'booking.created': true,
	'booking.confirmed': true,
	'booking.cancelled': true,
	'booking.updated': true,
	'booking.deleted': true,
	'customer.erased': true,
} satisfies Record<EventType, true>);

export function NewWebhook({ onClose }: { onClose: () => void }): VNode {
	const [url, setUrl] = useState('https://');
	const [description, setDescription] = useState('');
	const [types, setTypes] = useState<string[]>([]);
	const [made, setMade] = useState<WebhookWithSecret>();
	const body = { url, description: description || null, events: types.length === 0 ? ['*'] : types };
	const idempotencyKey = useIdempotencyKey('webhook', JSON.stringify(body));
	const create = async () => {
		setMade(await change<WebhookWithSecret>('POST', '/v1/webhooks', { body, idempotencyKey }));
	};
	if (made !== undefined) return <Secret webhook={made} onClose={onClose} />;
	return (
		<Dialog title="New webhook" action="Create" onAct={create} onClose={onClose}>
			<Field label="URL" type="url" required maxLength={2048} value={url} onValue={setUrl} />
			<Field label="Description" maxLength={255} value={description} onValue={setDescription} />
			<fieldset class="checks">
				<legend>Events</legend>
				<p class="hint">None chosen: all of them, also those that will be added.</p>
				{TYPES.map((type) => (
					<Check
						key={type}
						label={type}
						checked={types.includes(type)}
						onValue={(is) => setTypes(is ? [...types, type] : types.filter((one) => one !== type))}
					/>
				))}
			</fieldset>
		</Dialog>
	);
}

/** Where it is closed, the webhook is open. */
export function Secret({ webhook, onClose }: { webhook: WebhookWithSecret; onClose: () => void }): VNode {
	const close = () => {
		onClose();
		adjust({ webhook: webhook.id });
	};
	return (
		<ShownOnce title="The secret of the webhook" secret={webhook.secret} told="The secret was copied." onClose={close}>
			Whoever receives its events checks their signature with it.
		</ShownOnce>
	);
}
