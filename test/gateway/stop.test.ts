import { Agent, request as send } from 'node:http';
import { connect } from 'node:net';
import { expect, test } from '@jest/globals';
import { CannotStart } from '../../shared/process/cannot-start.ts';
import { bound } from '../support/bound.ts';
import { until } from '../support/until.ts';
import { bookingExample, exampleBackend } from './support/examples.ts';
import { startGateway, type TestGateway } from './support/start-gateway.ts';

/** One GET over a connection of `agent`. */
function get(
	gateway: TestGateway,
	agent: Agent,
	path = '/v1/bookings/7',
): Promise<{ status: number; connection: string | undefined }> {
	return new Promise((resolve, reject) => {
		const headers = { authorization: `Bearer ${gateway.client.key}` };
		const request = send(`${gateway.url}${path}`, { agent, headers }, (response) => {
			response.resume();
			response.on('end', () => resolve({ status: response.statusCode!, connection: response.headers.connection }));
			response.on('error', reject);
		});
		request.on('error', reject);
		request.end();
	});
}

test('T5: When the gateway stops, then running requests are answered, new connections refused, and only then other services stop', async () => {
	const slow = 3_000; // ms: longer than the broker's delay and the grace for idle connections
	const order: string[] = [];
	const gateway = await startGateway({
		backend: {
			'booking.get': async () => {
				await new Promise((resolve) => setTimeout(resolve, slow));
				order.push('answered');
				return bookingExample;
			},
		},
	});
	await gateway.broker.createService({ name: 'witness', stopped: () => void order.push('stopped') });
	const running = Array.from({ length: 3 }, () => get(gateway, new Agent({ keepAlive: true })));
	await until(() => gateway.calls.filter((call) => call.action === 'booking.get').length === 3, { what: 'the calls' });
	const stopped = gateway.stop();
	await until(() => !gateway.server.listening, { what: 'the end of listening' });
	await expect(get(gateway, new Agent())).rejects.toMatchObject({ code: 'ECONNREFUSED' });
	for (const answer of await Promise.all(running)) expect(answer).toEqual({ status: 200, connection: 'close' });
	const start = performance.now();
	await stopped;
	expect(performance.now() - start).toBeLessThan(bound(5_000, 9_000));
	expect(order).toEqual(['answered', 'answered', 'answered', 'stopped']);
});

test('T5: When clients keep asking over open connections, then none of their requests fails, refused connections aside', async () => {
	const gateway = await startGateway({ backend: exampleBackend });
	const failures: unknown[] = [];
	let answered = 0;
	const client = async () => {
		const agent = new Agent({ keepAlive: true, maxSockets: 1 });
		for (;;) {
			try {
				expect((await get(gateway, agent)).status).toBe(200);
				answered++;
			} catch (error) {
				if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') failures.push(error);
				return;
			}
		}
	};
	const clients = Promise.all(Array.from({ length: 20 }, client));
	await until(() => answered > 200, { what: 'some answers' });
	await gateway.stop();
	await clients;
	expect(failures).toEqual([]);
});

test('When connections are idle, or send nothing, then they do not hold up the stop', async () => {
	const gateway = await startGateway({ backend: exampleBackend });
	await get(gateway, new Agent({ keepAlive: true }));
	const silent = connect(Number(new URL(gateway.url).port), '127.0.0.1');
	const half = connect(Number(new URL(gateway.url).port), '127.0.0.1', () => half.write('GET / HTTP/1.1\r\n'));
	silent.on('error', () => {});
	half.on('error', () => {});
	await until(() => new Promise((resolve) => gateway.server.getConnections((_, count) => resolve(count === 3))));
	const start = performance.now();
	await gateway.stop();
	expect(performance.now() - start).toBeLessThan(bound(5_000, 9_000));
});

test('When a long poll waits, then a stop ends it with what there is', async () => {
	const waiting: number[] = [];
	const gateway = await startGateway({
		backend: {
			'notifications.listEvents': async ({ wait = 0 }) => {
				waiting.push(wait);
				await new Promise((resolve) => setTimeout(resolve, wait * 100)); // 10 times as fast
				return { events: [], has_more: false, next_after: 0 };
			},
		},
	});
	const poll = get(gateway, new Agent(), '/v1/events?wait=30');
	await until(() => waiting.length === 2, { what: 'the second call' });
	const stopped = gateway.stop();
	expect((await poll).status).toBe(200);
	await stopped;
	expect(waiting.length).toBeLessThan(6);
	expect(new Set(waiting)).toEqual(new Set([5]));
});

test('When the port is in use, then the start fails with one sentence, and nothing is logged beside it', async () => {
	const first = await startGateway();
	const { port } = new URL(first.url);
	const failure = await startGateway({ environment: { PORT: port } }).catch((error: unknown) => error);
	expect(failure).toBeInstanceOf(CannotStart);
	expect((failure as Error).message).toBe(`PORT ${port} is in use; choose another one, or 0 for any free one.`);
	await first.stop();
});
