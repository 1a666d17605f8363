import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** A customer's server, on 127.0.0.1. */
export interface Receiver {
	url: string;
	port: number;
	/** Connections that are open now */
	open(): number;
	/** Connections so far */
	connections(): number;
	close(): Promise<void>;
}

export function startHttp(listener: RequestListener): Promise<Receiver> {
	return start(createHttpServer(listener));
}

/** Speaks whatever `converse` says, once a request has begun. */
export function startRaw(converse: (socket: Socket) => void): Promise<Receiver> {
	return start(createServer((socket) => socket.once('data', () => converse(socket))));
}

/** Answers a request with this text and leaves the connection open. */
export function startAnswering(text: string): Promise<Receiver> {
	return startRaw((socket) => socket.write(text));
}

/** @param server HTTP, HTTPS or bare TCP */
export async function start(server: Server, scheme = 'http'): Promise<Receiver> {
	const sockets = new Set<Socket>();
	let connections = 0;
	server.on('connection', (socket: Socket) => {
		connections++;
		sockets.add(socket);
		socket.on('error', () => {}); // it will be cut off
		socket.on('close', () => sockets.delete(socket));
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	return {
		url: `${scheme}://127.0.0.1:${port}/hooks`,
		port,
		open: () => sockets.size,
		connections: () => connections,
		async close() {
			for (const socket of sockets) socket.destroy();
			server.close();
			await once(server, 'close');
		},
	};
}

/** Writes `chunk` again and again, as fast as it is taken or every `interval` ms, until the other side has gone. */
export function pour(socket: Socket, chunk: Buffer | string, interval = 0): void {
	const next = () => {
		if (socket.destroyed) return;
		const again = () => (interval === 0 ? setImmediate(next) : setTimeout(next, interval));
		if (socket.write(chunk)) again();
		else socket.once('drain', again);
	};
	next();
}
