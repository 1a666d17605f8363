import { type AddressInfo, createServer, connect as dial, type Server, type Socket } from 'node:net';

/** What the proxy does to the bytes between its clients and its target. */
export type Fault =
	| { kind: 'none' }
	/** Every piece of data comes `ms` later, in both directions */
	| { kind: 'delay'; ms: number }
	/** Connections stay open, new ones are accepted, and nothing goes through any more */
	| { kind: 'hang' }
	/** Connections are closed with RST, new ones too */
	| { kind: 'reset' }
	/** Connections are closed, and nobody listens */
	| { kind: 'cut' };

/** A TCP proxy on 127.0.0.1 that can be told to misbehave. What was held back by `hang` goes through after it. */
export class TcpProxy {
	readonly port: number;
	readonly #server: Server;
	readonly #target: number;
	readonly #links = new Set<Link>();
	#fault: Fault = { kind: 'none' };

	private constructor(server: Server, target: number) {
		this.#server = server;
		this.#target = target;
		this.port = (server.address() as AddressInfo).port;
		server.on('connection', (client) => this.#accept(client));
	}

	/** @param target port of 127.0.0.1 */
	static async to(target: number): Promise<TcpProxy> {
		const server = createServer({ allowHalfOpen: false });
		await listen(server, 0);
		return new TcpProxy(server, target);
	}

	/** `url` with this proxy's address in place of its own. */
	url(url: string): string {
		const through = new URL(url);
		through.host = `127.0.0.1:${this.port}`;
		return through.href.replace(/\/$/, url.endsWith('/') ? '/' : '');
	}

	get connections(): number {
		return this.#links.size;
	}

	/** Changes what happens from now on, for connections that are open as well. */
	async set(fault: Fault): Promise<void> {
		const before = this.#fault.kind;
		this.#fault = fault;
		if (fault.kind === 'cut' || fault.kind === 'reset') for (const link of this.#links) link.close(fault.kind);
		if (fault.kind === 'cut' && before !== 'cut') await new Promise((resolve) => this.#server.close(resolve));
		if (fault.kind !== 'cut' && before === 'cut') await listen(this.#server, this.port);
		for (const link of this.#links) link.flush();
	}

	async close(): Promise<void> {
		for (const link of this.#links) link.close('cut');
		if (this.#server.listening) await new Promise((resolve) => this.#server.close(resolve));
	}

	#accept(client: Socket): void {
		if (this.#fault.kind === 'reset') {
			client.on('error', () => {});
			client.resetAndDestroy();
			return;
		}
		const link = new Link(client, dial(this.#target, '127.0.0.1'), () => this.#fault);
		this.#links.add(link);
		link.closed.then(() => this.#links.delete(link));
	}
}

/** One client's connection and the one to the target that belongs to it. */
class Link {
	readonly closed: Promise<void>;
	readonly #ends: [Socket, Socket];
	readonly #directions: Direction[];

	constructor(client: Socket, target: Socket, fault: () => Fault) {
		this.#ends = [client, target];
		this.#directions = [new Direction(client, target, fault), new Direction(target, client, fault)];
		this.closed = new Promise((resolve) => {
			client.once('close', () => resolve());
			target.once('close', () => resolve());
		});
	}

	close(how: 'cut' | 'reset'): void {
		for (const end of this.#ends) {
			if (how === 'reset') end.resetAndDestroy();
			else end.destroy();
		}
	}

	/** Sends what was held back, unless it still is. */
	flush(): void {
		for (const direction of this.#directions) direction.pump();
	}
}

/** One direction of a link. Bytes never overtake each other, also where a delay ends. */
class Direction {
	readonly #to: Socket;
	readonly #fault: () => Fault;
	readonly #queue: { data: Buffer; due: number }[] = [];
	#timer: NodeJS.Timeout | undefined;

	constructor(from: Socket, to: Socket, fault: () => Fault) {
		this.#to = to;
		this.#fault = fault;
		from.setNoDelay(true);
		from.on('error', () => {});
		from.on('close', () => to.destroy());
		from.on('data', (data: Buffer) => {
			const now = this.#fault();
			this.#queue.push({ data, due: performance.now() + (now.kind === 'delay' ? now.ms : 0) });
			this.pump();
		});
	}

	pump(): void {
		clearTimeout(this.#timer);
		for (let next = this.#queue[0]; next && this.#fault().kind !== 'hang'; next = this.#queue[0]) {
			const wait = next.due - performance.now();
			if (wait > 0) {
				this.#timer = setTimeout(() => this.pump(), wait);
				return;
			}
			this.#queue.shift();
			if (!this.#to.destroyed) this.#to.write(next.data);
		}
	}
}

async function listen(server: Server, port: number): Promise<void> {
	await new Promise<void>((resolve, reject) => {
		server.once('error', reject);
		server.listen(port, '127.0.0.1', () => {
			server.off('error', reject);
			resolve();
		});
	});
}
