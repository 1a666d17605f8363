import { type AddressInfo, createServer, connect as dial, type Server, type Socket } from 'node:net';

/** Commands of which a client loses the answer: its connection is closed in its place. Or it waits for it. */
export interface Loss {
	/** `update`, `insert`, `delete`, `findAndModify` … */
	commands: readonly string[];
	collections: readonly string[];
	/**
	 * `before`: the server never gets the command. `after`: it carried it out. `late`: it gets it `ms` after the client lost
	 * its connection. `slow`: the client gets the answer after `ms`.
	 */
	how: 'before' | 'after' | 'late' | 'slow';
	ms?: number;
	/** Asked for each of them; by default every one is lost */
	chance?: () => boolean;
}

const OP_MSG = 2013;
const HEADER = 16; // bytes: length, id, id that is answered, operation

/** A proxy in front of MongoDB that reads commands: for faults that hit one process, one direction, one kind of write. */
export class MongoProxy {
	readonly port: number;
	/** Answers that were lost, or late */
	lost = 0;
	readonly #server: Server;
	readonly #target: number;
	readonly #sockets = new Set<Socket>();
	#loss: Loss | undefined;

	private constructor(server: Server, target: number) {
		this.port = (server.address() as AddressInfo).port;
		this.#server = server;
		this.#target = target;
		server.on('connection', (client) => this.#accept(client));
	}

	/** @param url of the server, on 127.0.0.1 */
	static async to(url: string): Promise<MongoProxy> {
		const server = createServer();
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		return new MongoProxy(server, Number(new URL(url).port));
	}

	/** `url` with this proxy's address in place of its own. */
	url(url: string): string {
		const through = new URL(url);
		through.host = `127.0.0.1:${this.port}`;
		return through.href;
	}

	/** What is lost from now on; undefined: nothing. */
	lose(loss: Loss | undefined): void {
		this.#loss = loss;
	}

	async close(): Promise<void> {
		for (const socket of this.#sockets) socket.destroy();
		await new Promise((resolve) => this.#server.close(resolve));
	}

	#accept(client: Socket): void {
		const server = dial(this.#target, '127.0.0.1');
		const unanswered = new Set<number>();
		const slow = new Map<number, number>(); // ms, by the command's id
		let late = false; // the server still gets a command after the client is gone
		for (const [one, other] of [
			[client, server],
			[server, client],
		] as const) {
			this.#sockets.add(one);
			one.setNoDelay(true);
			one.on('error', () => {});
			one.on('close', () => {
				this.#sockets.delete(one);
				if (one !== client || !client.destroyed || !late) other.destroy();
			});
		}
		eachMessage(client, (message) => {
			const loss = this.#loss;
			if (loss === undefined || !concerns(loss, message)) return void server.write(message);
			this.lost++;
			if (loss.how === 'slow') {
				slow.set(message.readInt32LE(4), loss.ms ?? 0);
				server.write(message);
				return;
			}
			if (loss.how === 'after') {
				unanswered.add(message.readInt32LE(4));
				server.write(message);
				return;
			}
			late = loss.how === 'late';
			client.destroy();
			if (late) setTimeout(() => server.write(message), loss.ms ?? 0);
		});
		eachMessage(server, (message) => {
			const answered = message.readInt32LE(8);
			if (unanswered.has(answered)) client.destroy();
			else if (slow.has(answered)) setTimeout(() => client.destroyed || client.write(message), slow.get(answered));
			else if (!client.destroyed) client.write(message);
			else server.destroy(); // the answer of a late command
		});
	}
}

function concerns({ commands, collections, chance = () => true }: Loss, message: Buffer): boolean {
	const command = commandOf(message);
	return (
		command !== undefined && commands.includes(command.name) && collections.includes(command.collection) && chance()
	);
}

/** A command's document comes first, and its first field is its name, with the collection as value. */
function commandOf(message: Buffer): { name: string; collection: string } | undefined {
	const [flags, kind, length, type] = [4, 1, 4, 1];
	const document = HEADER + flags + kind;
	if (message.readInt32LE(12) !== OP_MSG || message[document - kind] !== 0) return undefined;
	if (message[document + length] !== 2) return undefined; // no text
	const start = document + length + type;
	const end = message.indexOf(0, start);
	const size = message.readInt32LE(end + 1);
	return {
		name: message.toString('utf8', start, end),
		collection: message.toString('utf8', end + 5, end + 4 + size),
	};
}

function eachMessage(socket: Socket, take: (message: Buffer) => void): void {
	let rest: Buffer = Buffer.alloc(0);
	socket.on('data', (data: Buffer) => {
		rest = rest.length === 0 ? data : Buffer.concat([rest, data]);
		while (rest.length >= HEADER && rest.length >= rest.readInt32LE(0)) {
			const length = rest.readInt32LE(0);
			take(rest.subarray(0, length));
			rest = rest.subarray(length);
		}
	});
}
