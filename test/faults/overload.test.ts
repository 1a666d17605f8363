import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { isAlone } from '../support/bound.ts';
import { Client } from '../support/http-client.ts';
import { type Product, startProduct } from '../support/product.ts';
import { activeBookings, bookingBody, newCustomer, type Place, slotOn } from '../support/scheduling.ts';

/** Requests that are sent without waiting for an answer: connections, and creates on each */
const CONNECTIONS = 2_000;
const PIPELINED = 4;
const WAVES = 2;
const PLACES = 500;

let product: Product;
let client: Client;

beforeAll(async () => {
	product = await startProduct({ form: 'embedded', keys: { Unlimited: 1 } });
	client = new Client(() => product.urls(), product.keys.Unlimited[0]);
});
afterAll(() => product?.stop());

/**
 * Sends creates one behind the other over one connection.
 * @returns the statuses, in their order; fewer where the connection was lost, as on a machine that does much else: the
 *   server ends what took 8 s to arrive
 */
function createMany(place: Place, count: number): Promise<number[]> {
	const { hostname, port } = new URL(client.url);
	return new Promise((resolve) => {
		const socket = connect(Number(port), hostname, () => {
			for (let sent = 0; sent < count; sent++) {
				const body = JSON.stringify(bookingBody(place, newCustomer()));
				const head = `POST /v1/bookings HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${client.key}\r\n`;
				const type = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
				socket.write(`${head}${type}\r\n${body}`);
			}
		});
		let text = '';
		let statuses: number[] = [];
		socket.setEncoding('latin1').on('data', (chunk) => {
			text += chunk;
			statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
			if (statuses.length === count && text.endsWith('}')) socket.destroy();
		});
		socket.on('error', () => {});
		socket.on('close', () => resolve(statuses));
	});
}

test('When far more bookings are asked for than can be served, then each is decided or refused with 503, and those that were refused did nothing', async () => {
	const place = await slotOn(client, { max_bookings: PLACES });
	const seen: Record<number, number> = {};
	for (let wave = 0; wave < WAVES; wave++) {
		const all = Array.from({ length: CONNECTIONS }, () => createMany(place, PIPELINED));
		for (const status of (await Promise.all(all)).flat()) seen[status] = (seen[status] ?? 0) + 1;
	}
	const { 201: accepted = 0, 400: full = 0, 503: refused = 0 } = seen;
	const { 408: late = 0, 504: unknown = 0 } = seen;
	const answered = Object.values(seen).reduce((sum, count) => sum + count, 0);
	expect(accepted + full + refused + late + unknown).toBe(answered);
	const lost = WAVES * CONNECTIONS * PIPELINED - answered;
	if (isAlone) expect({ late, lost, unknown }).toEqual({ late: 0, lost: 0, unknown: 0 });
	expect(lost + unknown).toBeLessThan((WAVES * CONNECTIONS * PIPELINED) / 2);
	expect(refused).toBeGreaterThan(0);
	expect(accepted).toBeLessThanOrEqual(PLACES);
	expect(accepted).toBeGreaterThanOrEqual(PLACES - lost - unknown);
	expect(await activeBookings(client, place.service.id)).toHaveLength(PLACES);
	expect((await client.get('/v1/services')).status).toBe(200);
});
