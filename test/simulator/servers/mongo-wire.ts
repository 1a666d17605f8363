import { createRequire } from 'node:module';

const { deserialize, serialize } = createRequire(import.meta.url)('bson') as {
	deserialize(bytes: Uint8Array, options: object): Record<string, unknown>;
	serialize(document: object): Uint8Array;
};

const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;
const HEADER = 16;
const READING = { promoteValues: true, promoteBuffers: true };

export interface Request {
	id: number;
	operation: number;
	body: Record<string, unknown>;
}

/** Cuts what a connection brings into commands. */
export class MessageReader {
	#rest: Buffer = Buffer.alloc(0);

	read(chunk: Buffer): Request[] {
		const requests: Request[] = [];
		let rest = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
		while (rest.length >= 4 && rest.length >= rest.readInt32LE(0)) {
			const length = rest.readInt32LE(0);
			const message = rest.subarray(0, length);
			rest = rest.subarray(length);
			const operation = message.readInt32LE(12);
			const body = operation === OP_QUERY ? queryBody(message) : messageBody(message);
			requests.push({ id: message.readInt32LE(4), operation, body });
		}
		this.#rest = rest;
		return requests;
	}
}

/** Flags, name of the collection, two numbers, document: only the first command of a connection comes so. */
function queryBody(message: Buffer): Record<string, unknown> {
	const end = message.indexOf(0, HEADER + 4);
	return deserialize(message.subarray(end + 9), READING);
}

/** Flags, then sections: one document, and lists of documents that are fields of it. */
function messageBody(message: Buffer): Record<string, unknown> {
	let at = HEADER + 4;
	let body: Record<string, unknown> = {};
	const lists: Record<string, unknown[]> = {};
	while (at < message.length) {
		const kind = message[at++]!;
		const size = message.readInt32LE(at);
		if (kind === 0) body = deserialize(message.subarray(at, at + size), READING);
		else {
			const name = message.indexOf(0, at + 4);
			const list: unknown[] = [];
			for (let next = name + 1; next < at + size; next += message.readInt32LE(next)) {
				list.push(deserialize(message.subarray(next, next + message.readInt32LE(next)), READING));
			}
			lists[message.toString('utf8', at + 4, name)] = list;
		}
		at += size;
	}
	return { ...body, ...lists };
}

export function reply({ id, operation }: Request, answer: object): Buffer {
	const body = serialize(answer);
	const before = operation === OP_QUERY ? 20 : 5;
	const message = Buffer.alloc(HEADER + before + body.length);
	message.writeInt32LE(message.length, 0);
	message.writeInt32LE(id, 8);
	message.writeInt32LE(operation === OP_QUERY ? OP_REPLY : OP_MSG, 12);
	if (operation === OP_QUERY) message.writeInt32LE(1, HEADER + 16); // one document; a first section's kind is 0 anyway
	message.set(body, HEADER + before);
	return message;
}
