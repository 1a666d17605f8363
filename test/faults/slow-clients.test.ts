import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isAlone } from '../support/bound.ts';
import { Client } from '../support/http-client.ts';
import { type Product, startProduct } from '../support/product.ts';
import { until } from '../support/until.ts';

const EACH = 167; // three kinds, 500 in all (promise A8)
/** ms between two bytes of a slow client */
const PACE = 500;
const REQUESTS = 400;

/** A client that never gets to the end of its request, or has none. */
class SlowClient {
	/** All that came back */
	received = '';
	isClosed = false;
	readonly #socket: Socket;
	#timer: NodeJS.Timeout | undefined;

	/** @param start is sent at once; then `trickle` again and again, where there is one */
	constructor(url: string, start: string, trickle = '') {
		const { hostname, port } = new URL(url);
		this.#socket = connect(Number(port), hostname, () => {
			this.#socket.write(start);
			if (trickle !== '') this.#timer = setInterval(() => this.#socket.write(trickle), PACE);
		});
		this.#socket.on('data', (chunk: Buffer) => {
			this.received += chunk.toString('latin1');
		});
		this.#socket.on('error', () => {}); // a byte after the end
		this.#socket.on('close', () => this.end());
	}

	end(): void {
		this.isClosed = true;
		clearInterval(this.#timer);
		this.#socket.destroy();
	}
}

describe('A8: 500 slow connections', () => {
	let product: Product;
	let client: Client;
	beforeAll(async () => {
		product = await startProduct({ form: 'embedded', keys: { Unlimited: 1 } });
		client = new Client(() => product.urls(), product.keys.Unlimited[0]);
		await latencies();
	});
	afterAll(() => product?.stop());

	/** ms of requests, 4 at a time; each must be served. */
	async function latencies(): Promise<number[]> {
		const taken: number[] = [];
		const worker = async () => {
			while (taken.length < REQUESTS) {
				const start = performance.now();
				(await client.get('/v1/services')).mustBe(200);
				taken.push(performance.now() - start);
			}
		};
		await Promise.all(Array.from({ length: 4 }, worker));
		return taken.sort((a, b) => a - b);
	}

	const p99 = (sorted: number[]) => sorted[Math.floor(sorted.length * 0.99)]!;
	const many = (make: () => SlowClient) => Array.from({ length: EACH }, make);

	function attack() {
		const [url] = product.urls() as [string];
		const head = `POST /v1/services HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer ${client.key}\r\n`;
		const idle = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
		return {
			headers: many(() => new SlowClient(url, 'GET /v1/services HTTP/1.1\r\nHost: x\r\nX-Slow: ', 'a')),
			bodies: many(() => new SlowClient(url, `${head}Content-Length: 60000\r\n\r\n{`, ' ')),
			idle: many(() => new SlowClient(url, idle)),
		};
	}

	test('When headers and bodies come byte by byte, then others are served, and the slow ones end with 408', async () => {
		const slow = attack();
		const all = Object.values(slow).flat();
		try {
			await until(() => slow.idle.every(({ received }) => received.includes('200 OK')));
			await latencies();
			const ended = [...slow.headers, ...slow.bodies];
			await until(() => ended.every(({ isClosed }) => isClosed), {
				timeout: 60_000,
				what: 'the slow ones to be closed',
			});
			for (const { received } of ended) {
				expect(received).toMatch(/^HTTP\/1\.1 408 /);
				expect(received).toMatch(/\r\n\r\n{"error":"request timeout","code":"request_timeout"}$/);
			}
			expect(slow.idle.filter(({ isClosed }) => isClosed)).toEqual([]); // a proxy keeps its connections open
			await latencies();
		} finally {
			for (const one of all) one.end();
		}
	});

	(isAlone ? test : test.skip)(
		'When they are there, then p99 stays below twice its normal value (ALONE=1)',
		async () => {
			const ratios: number[] = [];
			for (let round = 0; round < 3; round++) {
				const normal = p99(await latencies());
				const slow = Object.values(attack()).flat();
				await until(() => slow.filter(({ received }) => received.includes('200 OK')).length === EACH);
				const attacked = p99(await latencies());
				ratios.push(attacked / normal);
				for (const one of slow) one.end();
			}
			expect(ratios.sort((a, b) => a - b)[1]).toBeLessThan(2);
		},
	);
});
