import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** @param status 0 where the connection ended before an answer came; @param body one character a byte */
export type Done = (status: number, body: string) => void;

const LENGTH = /\r\ncontent-length: *(\d+)/i;
const END_OF_HEAD = '\r\n\r\n';

/**
 * A keep-alive HTTP/1.1 connection that has one request under way at most. It reads a status and a body of known length,
 * which is all that the servers here send, and costs a fraction of what node:http's client would: the generator shares
 * the machine with what it measures.
 */
export class Connection {
	readonly #host: string;
	readonly #port: number;
	#socket: Socket | undefined;
	#done: Done | undefined;
	#received = '';
	/** Characters of the whole answer, once its head is there */
	#expected = 0;

	constructor(url: string) {
		const { hostname, port } = new URL(url);
		this.#host = hostname;
		this.#port = Number(port);
	}

	/** Opens it before it is needed, as a client's pool does. Resolves where that fails, too. */
	async ready(): Promise<void> {
		this.#socket ??= this.#open();
		if (this.#socket.connecting) await Promise.race([once(this.#socket, 'connect'), once(this.#socket, 'close')]);
	}

	/** Sends the bytes of a request; opens the connection where it is not open. */
	send(request: string, done: Done): void {
		this.#done = done;
		this.#socket ??= this.#open();
		this.#socket.write(request);
	}

	/** Ends it at once; an answer that is waited for is lost. */
	close(): void {
		this.#done = undefined;
		this.#socket?.destroy();
	}

	#open(): Socket {
		const socket = connect(this.#port, this.#host);
		socket.setNoDelay(true);
		socket.setEncoding('latin1');
		socket.on('data', (chunk) => this.#take(String(chunk)));
		socket.on('error', () => {}); // 'close' follows
		socket.on('close', () => {
			this.#socket = undefined;
			this.#finish(0, '');
		});
		return socket;
	}

	#take(chunk: string): void {
		this.#received = this.#received === '' ? chunk : this.#received + chunk;
		if (this.#expected === 0) {
			const head = this.#received.indexOf(END_OF_HEAD);
			if (head < 0) return;
			const length = LENGTH.exec(this.#received.slice(0, head));
			if (length === null) throw new Error(`an answer without a length: ${this.#received.slice(0, head)}`);
			this.#expected = head + END_OF_HEAD.length + Number(length[1]);
		}
		if (this.#received.length < this.#expected) return;
		const body = this.#received.slice(this.#received.indexOf(END_OF_HEAD) + END_OF_HEAD.length);
		this.#finish(Number(this.#received.slice(9, 12)), body);
	}

	#finish(status: number, body: string): void {
		const done = this.#done;
		this.#done = undefined;
		this.#received = '';
		this.#expected = 0;
		done?.(status, body);
	}
}
