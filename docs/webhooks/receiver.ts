/**
 * A receiver of Slotwise's webhooks: it verifies them, refuses old ones, and handles each event once and in order; what it
 * missed it reads from the feed. Node 24, and `npm i standardwebhooks`; then
 *
 *   WEBHOOK_SECRET=whsec_… SLOTWISE_URL=https://… SLOTWISE_KEY=slw_… node receiver.ts
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

interface Message {
	type: string;
	timestamp: string;
	/** Without a gap per account; a `webhook.test` has none */
	sequence?: number;
	data: unknown;
}

const { WEBHOOK_SECRET = '', SLOTWISE_URL = 'http://127.0.0.1:3000', SLOTWISE_KEY = '', PORT = '8080' } = process.env;
const MAX_BODY = 1_048_576;

/** Sequence of the last event that was handled, and ids. Keep both in your database, in the transaction that handles. */
let position = 0;
const handled = new Set<string>();

/** Your code: quick work, or an entry in a queue of yours, for the answer has to come within 15 s. */
function handle(id: string, { type, sequence }: Message): void {
	handled.add(id);
	if (sequence !== undefined) position = sequence;
	process.stdout.write(`handled ${sequence ?? 'test'} ${type} ${id}\n`);
}

async function receive(id: string, message: Message): Promise<void> {
	if (handled.has(id)) return; // delivered again
	const { sequence } = message;
	if (sequence === undefined || sequence === position + 1) handle(id, message);
	else if (sequence > position) await catchUp(); // some are missing: deliveries come in no promised order
}

/** Handles what the feed has after our position, in order, this message's event among it. */
async function catchUp(): Promise<void> {
	for (let more = true; more; ) {
		const answer = await fetch(`${SLOTWISE_URL}/v1/events?after=${position}&limit=1000`, {
			headers: { authorization: `Bearer ${SLOTWISE_KEY}` },
			signal: AbortSignal.timeout(10_000),
		});
		// 410: we were away for more than 30 days, or an older backup was restored. Read the bookings anew, then go on with after=0.
		if (!answer.ok) throw new Error(`the feed answered ${answer.status}`);
		const { data } = (await answer.json()) as { data: { events: (Message & { id: string })[]; has_more: boolean } };
		for (const event of data.events) handle(event.id, event);
		more = data.has_more;
	}
}

let last: Promise<unknown> = Promise.resolve();

/** Two deliveries may come at once, and each looks at the position. */
function oneAtATime(work: () => Promise<void>): Promise<void> {
	const result = last.then(work);
	last = result.catch(() => {});
	return result;
}

async function answer(request: IncomingMessage): Promise<number> {
	if (request.method !== 'POST') return 405;
	const chunks: Buffer[] = [];
	let size = 0;
	for await (const chunk of request) {
		size += chunk.length;
		if (size > MAX_BODY) return 413;
		chunks.push(chunk);
	}
	let message: Message;
	try {
		// The raw body: parsing it and writing it again gives other bytes. It also refuses what is 5 minutes old.
		const headers = request.headers as Record<string, string>;
		message = new Webhook(WEBHOOK_SECRET).verify(Buffer.concat(chunks), headers) as Message;
	} catch {
		return 401;
	}
	await oneAtATime(() => receive(String(request.headers['webhook-id']), message));
	return 204;
}

const server = createServer((request, response) => {
	answer(request).then(
		(status) => response.writeHead(status).end(),
		(error: Error) => {
			process.stderr.write(`not handled, it will come again: ${error.message}\n`);
			response.writeHead(500).end();
		},
	);
});
server.listen(Number(PORT), '127.0.0.1', () => {
	process.stdout.write(`listening on ${(server.address() as AddressInfo).port}\n`);
	oneAtATime(catchUp).catch((error: Error) => process.stderr.write(`not caught up: ${error.message}\n`));
});
