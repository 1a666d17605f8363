import { AsyncLocalStorage } from 'node:async_hooks';
import { createRequire } from 'node:module';
import type { Server } from 'node:net';
import { Duplex } from 'node:stream';
import type { Agenda } from './agenda.ts';
import type { Random } from './random.ts';
import { current, type SimProcess } from './sim-process.ts';

const require = createRequire(import.meta.url);
const net = require('node:net') as Record<string, unknown> & { Server: typeof Server };
const http = require('node:http') as { Agent: { prototype: object } };

type Accept = (socket: SimSocket) => void;

/** What is wrong between two processes, in one direction. */
export interface LinkFault {
	/** Nothing arrives before this moment of the world's time: TCP sends it again then */
	stalledUntil: number;
	/** ms on top of the usual way */
	delay: number;
}

/**
 * TCP between simulated processes: bytes arrive in order, or not before a partition ends, or the connection is reset.
 * Nothing is lost within a connection that lives.
 */
export class Network {
	readonly agenda: Agenda;
	readonly #random: Random;
	readonly #listeners = new Map<string, { process: SimProcess; accept: Accept }>();
	readonly #faults = new Map<string, LinkFault>();
	readonly sockets = new Set<SimSocket>();
	#ports = 40_000;

	constructor(agenda: Agenda, random: Random) {
		this.agenda = agenda;
		this.#random = random;
	}

	listen(process: SimProcess, port: number, accept: Accept): () => void {
		const key = `${process.address}:${port}`;
		this.#listeners.set(key, { process, accept });
		const end = () => {
			if (this.#listeners.get(key)?.process === process) this.#listeners.delete(key);
		};
		process.onEnd.push(end);
		return end;
	}

	connect(process: SimProcess, host: string, port: number): SimSocket {
		const ours = new SimSocket(this, process, `${host}:${port}`);
		ours.remoteAddress = host;
		ours.remotePort = port;
		ours.localPort = this.#ports++;
		const asked = process.time + this.#way(process.name, host);
		this.agenda.at(asked, () => {
			const listener = this.#listeners.get(`${host}:${port}`);
			if (listener === undefined || !listener.process.alive) {
				const error = Object.assign(new Error(`connect ECONNREFUSED ${host}:${port}`), { code: 'ECONNREFUSED' });
				return process.deliver(() => ours.destroy(error));
			}
			const theirs = new SimSocket(this, listener.process, process.name);
			theirs.remoteAddress = process.address;
			theirs.remotePort = ours.localPort;
			ours.peer = theirs;
			theirs.peer = ours;
			theirs.connecting = false;
			if (ours.destroyed) return;
			listener.process.deliver(() => listener.accept(theirs));
			process.deliver(() => ours.connected());
		});
		return ours;
	}

	/** In one direction; both have to be asked for apart. */
	fault(from: string, to: string, fault: Partial<LinkFault>): void {
		this.#faults.set(`${from}>${to}`, { stalledUntil: 0, delay: 0, ...fault });
	}

	/** When what leaves now arrives. */
	arrival(from: SimProcess, to: SimProcess): number {
		const fault = this.#faults.get(`${from.name}>${to.name}`);
		const usual = from.time + this.#way(from.name, to.name) + (fault?.delay ?? 0);
		return Math.max(usual, fault?.stalledUntil ?? 0);
	}

	/** Ends all connections between two processes, without a word to either. */
	reset(one: string, other: string): void {
		for (const socket of [...this.sockets]) {
			if (socket.owner.name === one && socket.peer?.owner.name === other) socket.cut();
		}
	}

	/** All connections of a process. */
	resetAll(one: string): void {
		for (const socket of [...this.sockets]) if (socket.owner.name === one) socket.cut();
	}

	#way(_from: string, _to: string): number {
		return 0.08 + this.#random.exponential(0.06);
	}

	/** From here on, `net` is this. */
	replaceNet(): void {
		const connect = (...args: unknown[]) => {
			const { host, port, listener } = readTarget(args);
			const socket = this.connect(current()!, host, port);
			if (listener) socket.once('connect', listener);
			return socket;
		};
		Object.assign(net, { connect, createConnection: connect });
		Object.assign(http.Agent.prototype, { createConnection: connect });
		const network = this;
		net.Server.prototype.listen = function (this: Server, ...args: never[]) {
			network.#serve(this, current()!, args);
			return this;
		} as never;
	}

	#serve(server: Server, process: SimProcess, args: unknown[]): void {
		const [first] = args;
		const port = Number(typeof first === 'object' ? (first as { port: number }).port : first) || this.#ports++;
		const done = args.find((each) => typeof each === 'function') as (() => void) | undefined;
		const inside = server as unknown as { _handle: unknown; _connections: number; _emitCloseIfDrained(): void };
		const end = this.listen(process, port, (socket) => {
			inside._connections++;
			socket.once('close', () => {
				inside._connections--;
				inside._emitCloseIfDrained();
			});
			server.emit('connection', socket);
		});
		inside._handle = {
			close: end,
			getsockname: (out: object) => Object.assign(out, { address: process.address, port, family: 'IPv4' }) && 0,
		};
		if (done) server.once('listening', done);
		globalThis.process.nextTick(() => server.emit('listening'));
	}
}

function readTarget([first, ...rest]: unknown[]): { host: string; port: number; listener: (() => void) | undefined } {
	const listener = rest.find((each) => typeof each === 'function') as (() => void) | undefined;
	if (typeof first === 'object' && first !== null) {
		const { host, port } = first as { host: string; port: number };
		return { host, port: Number(port), listener };
	}
	return { host: rest[0] as string, port: Number(first), listener };
}

/** One end of a connection; to who holds it, a `net.Socket`. */
export class SimSocket extends Duplex {
	readonly owner: SimProcess;
	readonly #network: Network;
	readonly #inContext = AsyncLocalStorage.snapshot();
	peer: SimSocket | undefined;
	connecting = true;
	remoteAddress = '';
	remotePort = 0;
	remoteFamily = 'IPv4';
	localPort = 0;
	timeout = 0;
	bytesRead = 0;
	bytesWritten = 0;
	/** When the last bytes that came had left their process, in ms of the world */
	sentAt = 0;
	#lastArrival = 0;
	/** The kernel knows it before the process looks */
	#resetCame = false;
	#idle: { refresh(): void; close(): void } | undefined;
	#atConnect: (() => void)[] = [];

	constructor(network: Network, owner: SimProcess, _to: string) {
		super({ allowHalfOpen: true, autoDestroy: true, emitClose: true });
		this.#network = network;
		this.owner = owner;
		network.sockets.add(this);
		owner.onEnd.push(() => this.ownerDied());
		this.once('close', () => network.sockets.delete(this));
		this.once('end', () => this.end()); // as `allowHalfOpen: false` has it; all that is spoken here ends so
	}

	connected(): void {
		if (this.destroyed) return;
		this.connecting = false;
		for (const run of this.#atConnect.splice(0)) run();
		this.#inContext(() => {
			this.emit('connect');
			this.emit('ready');
		});
	}

	override _read(): void {}

	override _write(chunk: Buffer, _encoding: string, done: (error?: Error) => void): void {
		this.#whenConnected(() => {
			if (this.#resetCame) return done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE', syscall: 'write' }));
			this.bytesWritten += chunk.length;
			const sent = this.owner.time;
			this.#send((peer) => peer.received(chunk, sent));
			done();
		});
	}

	override _writev(chunks: { chunk: Buffer }[], done: (error?: Error) => void): void {
		this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), '', done);
	}

	override _final(done: (error?: Error) => void): void {
		this.#whenConnected(() => {
			this.#send((peer) => peer.push(null));
			done();
		});
	}

	override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
		this.#idle?.close();
		if (this.peer && !this.writableFinished) this.#sendReset();
		done(error);
	}

	/** The kernel tells the others; nothing of this process runs any more. */
	ownerDied(): void {
		this.#network.sockets.delete(this);
		if (this.peer && !this.destroyed) this.#sendReset();
		// Node frees a parser when its socket closes, which nobody is left to see; it would hold the whole world.
		(this as { parser?: { close(): void } | null }).parser?.close();
	}

	/** Something between the two has forgotten the connection. */
	cut(): void {
		const { peer } = this;
		this.owner.deliver(() => this.wasReset());
		peer?.owner.deliver(() => peer.wasReset());
		this.peer = undefined;
		if (peer) peer.peer = undefined;
	}

	wasReset(): void {
		if (this.destroyed) return;
		this.peer = undefined;
		this.destroy(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' }));
	}

	received(chunk: Buffer, sent: number): void {
		if (this.destroyed) return;
		this.sentAt = sent;
		this.bytesRead += chunk.length;
		this.#idle?.refresh();
		this.#inContext(() => this.push(chunk));
	}

	#send(act: (peer: SimSocket) => void, arrived: (peer: SimSocket) => void = () => {}): void {
		const { peer } = this;
		if (peer === undefined) return;
		this.#idle?.refresh();
		this.#lastArrival = Math.max(this.#network.arrival(this.owner, peer.owner), this.#lastArrival);
		this.#network.agenda.at(this.#lastArrival, () => {
			arrived(peer);
			peer.owner.deliver(() => act(peer));
		});
	}

	#sendReset(): void {
		this.#send(
			(peer) => peer.wasReset(),
			(peer) => {
				peer.#resetCame = true;
			},
		);
	}

	#whenConnected(run: () => void): void {
		if (this.connecting) this.#atConnect.push(run);
		else run();
	}

	setTimeout(ms: number, listener?: () => void): this {
		this.#idle?.close();
		this.timeout = ms;
		if (listener) this.once('timeout', listener);
		this.#idle = ms > 0 ? this.owner.setTimer(() => this.emit('timeout'), ms) : undefined;
		return this;
	}

	destroySoon(): void {
		if (this.writable) this.end();
		if (this.writableFinished) this.destroy();
		else this.once('finish', () => this.destroy());
	}

	resetAndDestroy(): this {
		return this.destroy();
	}

	setNoDelay(): this {
		return this;
	}

	setKeepAlive(): this {
		return this;
	}

	ref(): this {
		return this;
	}

	unref(): this {
		return this;
	}

	get readyState(): string {
		return this.connecting ? 'opening' : this.destroyed ? 'closed' : 'open';
	}
}
