/** Bytes of one message: NATS carries at most 1 MiB. */
const MAX_BYTES = 512 * 1024;

/** Cuts a list into messages of at most 512 KiB, in order. A single item is never that large. */
export function* splitMessages<T>(items: T[]): Generator<T[]> {
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
