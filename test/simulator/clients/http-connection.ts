import { EventEmitter } from 'node:events';
import type { Network, SimSocket } from '../world/network.ts';
import type { SimProcess } from '../world/sim-process.ts';

export interface HttpAnswer {
	status: number;
	headers: Record<string, string>;
	/** As parsed; undefined where there is none */
	body: unknown;
}

/** A client's connection, one request at a time. It breaks as connections do, and is then made anew. */
export class HttpConnection {
	readonly #network: Network;
	readonly #process: SimProcess;
	readonly #host: string;
	readonly #port: number;
	#socket: SimSocket | undefined;
	#arrived = Buffer.alloc(0);
	readonly #events = new EventEmitter();

	constructor(network: Network, process: SimProcess, host: string, port: number) {
		this.#network = network;
		this.#process = process;
		this.#host = host;
		this.#port = port;
	}

	/** @returns undefined where nobody answered, within `patience` ms or because the connection broke */
	request(
		method: string,
		path: string,
		headers: Record<string, string>,
		body: unknown,
		patience: number,
	): Promise<HttpAnswer | undefined> {
		const socket = this.#open();
		const text = body === undefined ? '' : JSON.stringify(body);
		const all = {
			host: 'sim',
			...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
			...headers,
		};
		const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
		socket.write(`${method} ${path} HTTP/1.1\r\n${head.join('')}\r\n${text}`);
		return new Promise((resolve) => {
			const end = (answer: HttpAnswer | undefined) => {
				clearTimeout(timer);
				this.#events.removeAllListeners();
				if (answer === undefined) this.#drop();
				resolve(answer);
			};
			const timer = setTimeout(() => end(undefined), patience);
			this.#events.once('closed', () => end(undefined));
			this.#events.on('data', () => {
				const answer = this.#parse(method);
				if (answer) end(answer);
			});
		});
	}

	#open(): SimSocket {
		if (this.#socket && !this.#socket.destroyed && this.#socket.writable) return this.#socket;
		const socket = this.#network.connect(this.#process, this.#host, this.#port);
		this.#socket = socket;
		this.#arrived = Buffer.alloc(0);
		socket.on('error', () => {});
		socket.on('data', (chunk: Buffer) => {
			if (this.#socket !== socket) return;
			this.#arrived = Buffer.concat([this.#arrived, chunk]);
			this.#events.emit('data');
		});
		const closed = () => {
			if (this.#socket === socket) this.#events.emit('closed');
		};
		socket.on('end', closed);
		socket.on('close', closed);
		return socket;
	}

	#drop(): void {
		this.#socket?.destroy();
		this.#socket = undefined;
	}

	#parse(method: string): HttpAnswer | undefined {
		const end = this.#arrived.indexOf('\r\n\r\n');
		if (end < 0) return undefined;
		const [first = '', ...lines] = this.#arrived.toString('latin1', 0, end).split('\r\n');
		const status = Number(first.split(' ')[1]);
		const headers: Record<string, string> = {};
		for (const line of lines) {
			const colon = line.indexOf(':');
			headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
		}
		const isEmpty = status === 304 || status === 204 || method === 'HEAD';
		const length = isEmpty ? 0 : Number(headers['content-length'] ?? Number.NaN);
		if (Number.isNaN(length)) throw new Error(`an answer without content-length: ${first}`);
		if (this.#arrived.length < end + 4 + length) return undefined;
		const text = this.#arrived.toString('utf8', end + 4, end + 4 + length);
		this.#arrived = this.#arrived.subarray(end + 4 + length);
		if (headers.connection === 'close') this.#drop();
		return { status, headers, body: text === '' ? undefined : JSON.parse(text) };
	}
}
