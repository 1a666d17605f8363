import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook as Judge } from 'standardwebhooks';

/** A delivery as it came over the wire. */
export interface Received {
	path: string;
	headers: IncomingHttpHeaders;
	body: string;
	/** Monotonic ms */
	at: number;
	/** Whether the secret of its path signed it: judged as it comes, for a signature grows old. Undefined without one. */
	verified: boolean | undefined;
}

/** The answer's status and headers; undefined: none ever comes. */
type Reply = (received: Received) => { status: number; headers?: Record<string, string> } | undefined;

/** A customer's server on 127.0.0.1. It answers 204 unless it is told otherwise. */
export class WebhookReceiver {
	readonly received: Received[] = [];
	reply: Reply = () => ({ status: 204 });
	readonly #server: Server;
	readonly #secrets = new Map<string, string>();

	private constructor(server: Server) {
		this.#server = server;
	}

	static async start(): Promise<WebhookReceiver> {
		const server = createServer();
		const receiver = new WebhookReceiver(server);
		server.on('request', (request, response) => {
			const chunks: Buffer[] = [];
			request.on('error', () => {});
			request.on('data', (chunk: Buffer) => chunks.push(chunk));
			request.on('end', () => {
				const body = Buffer.concat(chunks).toString('utf8');
				const { url, headers } = request as { url: string; headers: IncomingHttpHeaders };
				const secret = receiver.#secrets.get(url);
				const verified = secret === undefined ? undefined : verifies({ headers, body }, secret);
				const received = { path: url, headers, body, at: performance.now(), verified };
				receiver.received.push(received);
				const reply = receiver.reply(received);
				if (reply) response.writeHead(reply.status, reply.headers).end();
			});
		});
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		return receiver;
	}

	/** @param path each webhook of a test has one of its own */
	url(path = '/'): string {
		return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`;
	}

	/** From now on each delivery to this path is judged as it comes. */
	judge(path: string, secret: string): void {
		this.#secrets.set(path, secret);
	}

	/** What came to a path. */
	of(path: string): Received[] {
		return this.received.filter((received) => received.path === path);
	}

	async stop(): Promise<void> {
		this.#server.closeAllConnections();
		await new Promise((resolve) => this.#server.close(resolve));
	}
}

/** `webhook-id` */
export function idOf({ headers }: Received): string {
	return headers['webhook-id'] as string;
}

/** Whether `standardwebhooks` takes it for one that this secret signed. */
export function verifies({ headers, body }: Pick<Received, 'headers' | 'body'>, secret: string): boolean {
	try {
		new Judge(secret).verify(body, headers as Record<string, string>);
		return true;
	} catch {
		return false;
	}
}
