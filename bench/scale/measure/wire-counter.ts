import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { BSON } from 'mongodb';

/** What went over the wire of one kind of operation. */
export interface Traffic {
	operations: number;
	/** Sent with a write, found by a read, changed by an update */
	documents: number;
	/** Both directions */
	bytes: number;
}

const OP_MSG = 2013;
const HEADER = 16;
/** Of the driver itself: no work for a model */
const CONTROL = new Set(['hello', 'ismaster', 'isMaster', 'ping', 'endSessions', 'killCursors']);

/**
 * A TCP proxy before a server of the MongoDB protocol that counts operations and documents by collection and command. It
 * counts what the server really gets, whatever a library gathers or repeats on the way.
 */
export class WireCounter {
	readonly traffic = new Map<string, Traffic>();
	readonly port: number;
	readonly #server: Server;
	readonly #sockets = new Set<Socket>();

	private constructor(server: Server, host: string, target: number) {
		this.#server = server;
		this.port = (server.address() as AddressInfo).port;
		server.on('connection', (client) => this.#join(client, connect(target, host)));
	}

	static async before(url: string): Promise<WireCounter> {
		const { hostname, port } = new URL(url);
		const server = createServer();
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		return new WireCounter(server, hostname, Number(port || 27_017));
	}

	close(): void {
		this.#server.close();
		for (const socket of this.#sockets) socket.destroy();
	}

	#join(client: Socket, target: Socket): void {
		const asked = new Map<number, string>();
		const [requests, answers] = [
			new Messages((m) => this.#request(asked, m)),
			new Messages((m) => this.#answer(asked, m)),
		];
		for (const [from, to, messages] of [
			[client, target, requests],
			[target, client, answers],
		] as const) {
			this.#sockets.add(from);
			from.on('data', (chunk: Buffer) => {
				to.write(chunk);
				messages.add(chunk);
			});
			from.on('error', () => to.destroy());
			from.on('close', () => {
				this.#sockets.delete(from);
				to.destroy();
			});
		}
	}

	#request(asked: Map<number, string>, message: Buffer): void {
		const { body, documents } = sections(message);
		const command = Object.keys(body)[0]!;
		if (CONTROL.has(command)) return;
		const collection = command === 'getMore' ? body.collection : body[command];
		const name = `${collection}.${command}`;
		asked.set(message.readInt32LE(4), name);
		this.#add(name, { operations: 1, documents: command === 'insert' ? documents : 0, bytes: message.length });
	}

	#answer(asked: Map<number, string>, message: Buffer): void {
		const question = message.readInt32LE(8);
		const name = asked.get(question);
		if (name === undefined) return;
		asked.delete(question);
		const { body } = sections(message);
		const found = body.cursor?.firstBatch ?? body.cursor?.nextBatch;
		const changed = name.endsWith('.insert') ? 0 : (body.n ?? (body.value ? 1 : 0));
		this.#add(name, { operations: 0, documents: found ? found.length : Number(changed), bytes: message.length });
	}

	#add(name: string, { operations, documents, bytes }: Traffic): void {
		const before = this.traffic.get(name) ?? { operations: 0, documents: 0, bytes: 0 };
		this.traffic.set(name, {
			operations: before.operations + operations,
			documents: before.documents + documents,
			bytes: before.bytes + bytes,
		});
	}
}

/** Puts the messages of one direction together again. */
class Messages {
	#rest = Buffer.alloc(0);
	readonly #take: (message: Buffer) => void;

	constructor(take: (message: Buffer) => void) {
		this.#take = take;
	}

	add(chunk: Buffer): void {
		this.#rest = this.#rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.#rest, chunk]);
		while (this.#rest.length >= HEADER && this.#rest.length >= this.#rest.readInt32LE(0)) {
			const size = this.#rest.readInt32LE(0);
			const message = this.#rest.subarray(0, size);
			this.#rest = this.#rest.subarray(size);
			if (message.readInt32LE(12) === OP_MSG) this.#take(message);
		}
	}
}

/** The command of a message, and how many documents came beside it (OP_MSG, sections of kind 0 and 1). */
function sections(message: Buffer): { body: BSON.Document; documents: number } {
	let [body, documents, at]: [BSON.Document, number, number] = [{}, 0, HEADER + 4];
	const end = message.length - (message.readInt32LE(HEADER) & 1 ? 4 : 0);
	while (at < end) {
		const kind = message[at]!;
		const size = message.readInt32LE(at + 1);
		if (kind === 0) body = BSON.deserialize(message.subarray(at + 1, at + 1 + size));
		else {
			let document = message.indexOf(0, at + 5) + 1; // behind the section's name
			for (; document < at + 1 + size; document += message.readInt32LE(document)) documents++;
		}
		at += 1 + size;
	}
	return { body, documents: documents + (Array.isArray(body.documents) ? body.documents.length : 0) };
}
