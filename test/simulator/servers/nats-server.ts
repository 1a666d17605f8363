import type { Network, SimSocket } from '../world/network.ts';
import type { Random } from '../world/random.ts';
import type { SimProcess } from '../world/sim-process.ts';

export const NATS_PORT = 4222;

interface Subscription {
	client: Client;
	id: string;
	subject: string;
	queue: string | undefined;
	/** Messages left, after which it ends by itself */
	left: number;
}

/** What may happen to a message on its way through the server; NATS promises each at most once. */
export interface BusFaults {
	/** Decides for one message from one process to one receiver. */
	fate(from: string, to: string): 'delivered' | 'lost' | { later: number };
}

/** NATS as far as it is used: subjects with wildcards, queue groups, at most once, in order for a sender and a subject. */
export class NatsServer {
	readonly #network: Network;
	readonly #process: SimProcess;
	readonly #random: Random;
	readonly #faults: BusFaults;
	readonly #subscriptions = new Set<Subscription>();
	/** By subject, those that match it; forgotten with each change */
	readonly #routes = new Map<string, Subscription[]>();
	messages = 0;

	constructor(network: Network, process: SimProcess, faults: BusFaults) {
		this.#network = network;
		this.#process = process;
		this.#random = process.random;
		this.#faults = faults;
	}

	start(): void {
		this.#network.listen(this.#process, NATS_PORT, (socket) => new Client(socket, this));
	}

	get info(): string {
		return JSON.stringify({
			server_id: 'SIM',
			server_name: 'sim',
			version: '2.10.0',
			proto: 1,
			headers: true,
			max_payload: 1_048_576,
			client_id: 1,
			host: this.#process.address,
			port: NATS_PORT,
		});
	}

	subscribe(subscription: Subscription): void {
		this.#subscriptions.add(subscription);
		this.#routes.clear();
	}

	unsubscribe(client: Client, id: string, most: number): void {
		for (const each of this.#subscriptions) {
			if (each.client !== client || each.id !== id) continue;
			if (most > 0) each.left = most;
			else this.#subscriptions.delete(each);
		}
		this.#routes.clear();
	}

	left(client: Client): void {
		for (const each of this.#subscriptions) if (each.client === client) this.#subscriptions.delete(each);
		this.#routes.clear();
	}

	publish(from: string, subject: string, reply: string | undefined, data: Buffer): void {
		this.messages++;
		const groups = new Map<string, Subscription[]>();
		for (const subscription of this.#matching(subject)) {
			if (subscription.queue === undefined) this.#deliver(from, subscription, subject, reply, data);
			else groups.set(subscription.queue, [...(groups.get(subscription.queue) ?? []), subscription]);
		}
		for (const members of groups.values()) this.#deliver(from, this.#random.pick(members), subject, reply, data);
	}

	#matching(subject: string): Subscription[] {
		let found = this.#routes.get(subject);
		if (found === undefined) {
			found = [...this.#subscriptions].filter((each) => matches(each.subject, subject));
			this.#routes.set(subject, found);
		}
		return found;
	}

	#deliver(from: string, subscription: Subscription, subject: string, reply: string | undefined, data: Buffer): void {
		if (--subscription.left === 0) this.#subscriptions.delete(subscription);
		const head = `MSG ${subject} ${subscription.id} ${reply === undefined ? '' : `${reply} `}${data.length}\r\n`;
		const send = () => subscription.client.send(Buffer.concat([Buffer.from(head), data, CRLF]));
		const fate = this.#faults.fate(from, subscription.client.name);
		if (fate === 'delivered') send();
		else if (fate !== 'lost') setTimeout(send, fate.later);
	}
}

const CRLF = Buffer.from('\r\n');

class Client {
	readonly #socket: SimSocket;
	readonly #server: NatsServer;
	/** Of its process */
	readonly name: string;
	#rest: Buffer = Buffer.alloc(0);

	constructor(socket: SimSocket, server: NatsServer) {
		this.#socket = socket;
		this.#server = server;
		this.name = socket.peer?.owner.name ?? '';
		socket.on('data', (chunk: Buffer) => this.#read(chunk));
		socket.on('error', () => {});
		socket.on('close', () => server.left(this));
		socket.write(`INFO ${server.info}\r\n`);
	}

	send(bytes: Buffer | string): void {
		if (!this.#socket.destroyed) this.#socket.write(bytes);
	}

	#read(chunk: Buffer): void {
		let rest: Buffer = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
		for (;;) {
			const end = rest.indexOf('\r\n');
			if (end < 0) break;
			const [verb = '', ...words] = rest.toString('latin1', 0, end).split(' ');
			const isPublished = /^PUB$/i.test(verb);
			const size = isPublished ? Number(words.at(-1)) : 0;
			const next = end + 2 + (isPublished ? size + 2 : 0);
			if (rest.length < next) break;
			const data = Buffer.from(rest.subarray(end + 2, end + 2 + size));
			rest = rest.subarray(next);
			this.#act(verb.toUpperCase(), words, data);
		}
		this.#rest = rest;
	}

	#act(verb: string, words: string[], data: Buffer): void {
		if (verb === 'PING') this.send('PONG\r\n');
		else if (verb === 'PUB')
			this.#server.publish(this.name, words[0]!, words.length === 3 ? words[1] : undefined, data);
		else if (verb === 'UNSUB') this.#server.unsubscribe(this, words[0]!, Number(words[1] ?? 0));
		else if (verb === 'SUB') {
			const queue = words.length === 3 ? words[1] : undefined;
			this.#server.subscribe({ client: this, id: words.at(-1)!, subject: words[0]!, queue, left: 0 });
		}
	}
}

function matches(pattern: string, subject: string): boolean {
	if (pattern === subject) return true;
	if (!/[*>]/.test(pattern)) return false;
	const parts = subject.split('.');
	const wanted = pattern.split('.');
	for (const [index, part] of wanted.entries()) {
		if (part === '>') return parts.length > index;
		if (parts[index] === undefined || (part !== '*' && part !== parts[index])) return false;
	}
	return parts.length === wanted.length;
}
