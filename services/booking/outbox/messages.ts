import type { ServiceBroker } from 'moleculer';

/** Bytes of one message: NATS carries at most 1 MiB. */
const MAX_BYTES = 512 * 1024;

/** What is to be sent, as messages of at most 512 KiB, in order. Within one process nothing limits a message. */
export function messagesOf<T>({ transit }: ServiceBroker, items: T[]): Iterable<T[]> {
	if (transit !== undefined) return splitMessages(items);
	return items.length > 0 ? [items] : [];
}

/** A single item is never that large. */
function* splitMessages<T>(items: T[]): Generator<T[]> {
	let message: T[] = [];
	let bytes = 0;
	for (const item of items) {
		const size = Buffer.byteLength(JSON.stringify(item));
		if (message.length > 0 && bytes + size > MAX_BYTES) {
			yield message;
			message = [];
			bytes = 0;
		}
		message.push(item);
		bytes += size;
	}
	if (message.length > 0) yield message;
}
