import type { EventDocument } from '../../log/event.model.ts';
import type { OutboundMessage } from '../outbound/send.ts';
import { sign } from '../outbound/signature.ts';
import type { DeliveryDocument } from '../store/delivery.model.ts';

/**
 * The body of a delivery, the same in every attempt: what the feed shows of the event, without its id, which is the
 * header's. The order of the fields is part of the interface.
 */
export function bodyOf({ event_type, test }: DeliveryDocument, event: EventDocument | null): string {
	if (event === null) return JSON.stringify({ type: event_type, ...test });
	const { type, timestamp, sequence, data } = event;
	return JSON.stringify({ type, timestamp, sequence, data });
}

/**
 * @param secrets the present one first
 * @param now ms; the time of this attempt
 */
export function messageOf(
	{ event_id }: DeliveryDocument,
	url: string,
	body: string,
	secrets: readonly string[],
	now: number,
): OutboundMessage {
	const timestamp = Math.floor(now / 1_000);
	const headers = {
		'content-type': 'application/json; charset=utf-8',
		'user-agent': 'Slotwise-Webhooks/1',
		...sign({ id: event_id, timestamp, body, secrets }),
	};
	return { url, headers, body };
}
