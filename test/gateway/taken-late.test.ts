import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { until } from '../support/until.ts';
import { startGateway, type TestGateway } from './support/start-gateway.ts';

/** ms: longer than a request may take */
const LATE = 10_500;
/** Bytes before the answer, of which the kernel has no room for all */
const BEFORE = 64 * 1024 * 1024;

let gateway: TestGateway;
beforeAll(async () => {
	gateway = await startGateway({
		backend: { 'booking.delete': () => 'ok', 'booking.deletionAnswered': () => 'ok' },
	});
});
afterAll(() => gateway.stop());

test('X17: When a client takes the answer of its DELETE after the time of the request, then that it was sent is noted, and the gateway goes on', async () => {
	gateway.server.prependOnceListener('request', ({ socket }) => void socket.write(Buffer.alloc(BEFORE)));
	const { hostname, port } = new URL(gateway.url);
	const client = connect(Number(port), hostname);
	client.write(`DELETE /v1/bookings/7 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${gateway.client.key}\r\n\r\n`);
	const called = (action: string) => gateway.calls.find((call) => call.action === action);
	await until(() => called('booking.delete'));
	await delay(LATE);
	expect(called('booking.deletionAnswered')).toBeUndefined();
	let taken = '';
	client.on('data', (bytes) => {
		taken = (taken + bytes.toString('latin1')).slice(-1_000);
	});
	await until(() => taken.includes('HTTP/1.1 200 OK'));
	const noted = await until(() => called('booking.deletionAnswered'));
	expect(noted.params).toEqual({ account_id: 'acc_test', booking_id: 7 });
	expect((await gateway.client.delete('/v1/bookings/8')).status).toBe(200);
	client.destroy();
});
