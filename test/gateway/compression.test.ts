import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import { askBytes } from '../support/ask-bytes.ts';
import { until } from '../support/until.ts';
import { bookingExample, exampleBackend } from './support/examples.ts';
import { type Backend, startGateway, type TestGateway } from './support/start-gateway.ts';

/** How long a booking's message is follows from its id. */
const withMessage = (id: number): Booking => ({ ...bookingExample, id, message: 'm'.repeat(id) });
/** Of which compressing leaves three quarters: the messages of service 4's bookings */
const NOISE = randomBytes(7_500_000).toString('base64');
/** Bookings that the list has */
const ROWS = 1_000;

const noiseOf = (id: number) => NOISE.slice((id - 1) * 10_000, id * 10_000);

const listed = (service_id: number | undefined, ids: readonly number[]) =>
	ids.map((id) => (service_id === 4 ? { ...bookingExample, id, message: noiseOf(id) } : withMessage(id)));

const backend: Backend = {
	...exampleBackend,
	'booking.get': ({ booking_id }) => withMessage(booking_id),
	'booking.update': ({ booking_id }) => withMessage(booking_id),
	'booking.create': () => ({ data: withMessage(5_000), replayed: true }),
	'booking.list': ({ service_id, limit, piece }) => {
		const ids = Array.from({ length: Math.min(limit, ROWS) }, (_, index) => index + 1);
		return { bookings: listed(service_id, ids.slice(0, piece)), ids, total_items: ROWS };
	},
	'booking.listed': ({ service_id, ids }) => listed(service_id, ids),
};

let gateway: TestGateway;
let ofOrigins: TestGateway;
beforeAll(async () => {
	gateway = await startGateway({ backend });
	ofOrigins = await startGateway({ backend, environment: { CORS_ORIGINS: 'https://app.example.com' } });
});
afterAll(() => Promise.all([gateway.stop(), ofOrigins.stop()]));

const LIST = `/v1/bookings?service_id=3&page=1&page_size=${ROWS}`;
const gzip = 'gzip, deflate, br';
const ask = (path: string, more: Parameters<typeof askBytes>[2] = {}) => askBytes(gateway.client, path, more);

/** A booking's message, such that its answer has so many bytes. */
async function ofSize(bytes: number): Promise<string> {
	const { length } = (await ask('/v1/bookings/100')).bytes;
	const path = `/v1/bookings/${100 + bytes - length}`;
	expect((await ask(path)).bytes.length).toBe(bytes);
	return path;
}

describe('P3: which answers are compressed', () => {
	test('When an answer has 1 KiB, then it is sent as it is, and with a byte more it is compressed', async () => {
		const small = await ask(await ofSize(1_024), { accept: gzip });
		expect([small.headers['content-encoding'], small.headers.vary]).toEqual([undefined, undefined]);
		const path = await ofSize(1_025);
		const plain = await ask(path);
		expect([plain.headers['content-encoding'], plain.headers.vary]).toEqual([undefined, 'Accept-Encoding']);
		const packed = await ask(path, { accept: gzip });
		expect([packed.headers['content-encoding'], packed.headers.vary]).toEqual(['gzip', 'Accept-Encoding']);
		expect(packed.text).toBe(plain.text);
		expect(packed.bytes.length).toBeLessThan(plain.bytes.length);
	});

	test.each(['/v1/bookings/2000', '/v1/bookings/9999', '/v1/bookings/30000', LIST])(
		'When %s is asked for, then the same comes out of it, and HEAD has the same headers',
		async (path) => {
			const [plain, packed] = await Promise.all([ask(path), ask(path, { accept: gzip })]);
			expect([packed.status, packed.text]).toEqual([200, plain.text]);
			expect(packed.headers['content-length']).toBe(String(packed.bytes.length));
			expect(packed.headers['content-type']).toBe(plain.headers['content-type']);
			expect(packed.headers['cache-control']).toBe('private, no-cache');
			const head = await ask(path, { accept: gzip, method: 'HEAD' });
			const named = ({ headers }: typeof head) => ({ ...headers, date: '', 'x-request-id': '' });
			expect([head.status, head.bytes.length, named(head)]).toEqual([200, 0, named(packed)]);
		},
	);

	test('When a refusal is long, then it is compressed, too', async () => {
		const body = JSON.stringify(Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`field_${at}`, 1])));
		const refused = await ask('/v1/services', { method: 'POST', accept: gzip, body });
		expect([refused.status, refused.headers['content-encoding'], refused.headers.vary]).toEqual([
			400,
			'gzip',
			'Accept-Encoding',
		]);
		expect(JSON.parse(refused.text)).toMatchObject({ code: 'invalid_request' });
		const short = await ask('/v1/nothing', { accept: gzip });
		expect([short.status, short.headers['content-encoding']]).toEqual([404, undefined]);
	});

	test('When an account has a rate, then a compressed answer tells where it stands', async () => {
		const key = gateway.addKey({ account_id: 'acc_rated', package: { name: 'Starter', rate: 5, burst: 10 } });
		const { headers } = await askBytes(gateway.client.withKey(key), '/v1/bookings/2000', { accept: gzip });
		expect(headers).toMatchObject({
			'content-encoding': 'gzip',
			'x-ratelimit-limit': '10',
			'x-ratelimit-remaining': '9',
		});
	});

	test('When a kept answer is replayed, then it is compressed as the first one was', async () => {
		const body = JSON.stringify({ date: '2026-11-23', time_slot_id: 7 });
		const headers = { 'idempotency-key': 'once' };
		const answer = await ask('/v1/bookings', { method: 'POST', accept: gzip, body, headers });
		expect(answer.headers).toMatchObject({ 'content-encoding': 'gzip', 'idempotent-replayed': 'true', etag: '"1"' });
		expect(JSON.parse(answer.text)).toEqual({ data: withMessage(5_000) });
	});

	test('When origins are configured, then answers vary by both', async () => {
		const from = (path: string, origin?: string) =>
			askBytes(ofOrigins.client, path, { accept: gzip, headers: origin === undefined ? {} : { origin } });
		expect((await from('/v1/bookings/10')).headers.vary).toBe('Origin');
		expect((await from('/v1/bookings/2000')).headers.vary).toBe('Origin, Accept-Encoding');
		const { headers } = await from('/v1/bookings/2000', 'https://app.example.com');
		expect([headers.vary, headers['access-control-allow-origin']]).toEqual([
			'Origin, Accept-Encoding',
			'https://app.example.com',
		]);
	});

	test('When pages are asked for, then they are as they were: compressed once, or too small', async () => {
		const [plain, packed] = await Promise.all([ask('/openapi.json'), ask('/openapi.json', { accept: gzip })]);
		expect([packed.headers['content-encoding'], packed.text]).toEqual(['gzip', plain.text]);
		expect([plain.headers.vary, packed.headers.vary]).toEqual(['Origin, Accept-Encoding', 'Origin, Accept-Encoding']);
		expect((await ask('/healthz', { accept: gzip })).headers['content-encoding']).toBeUndefined();
	});
});

describe('V1: versions and codings', () => {
	test('When an answer is compressed, then its ETag is the version, and goes back as it came', async () => {
		const [plain, packed] = await Promise.all([ask('/v1/bookings/2000'), ask('/v1/bookings/2000', { accept: gzip })]);
		expect([packed.headers['content-encoding'], packed.headers.etag]).toEqual(['gzip', plain.headers.etag]);
		const etag = packed.headers.etag!;
		for (const accept of [gzip, 'identity', undefined]) {
			const known = await ask('/v1/bookings/2000', { accept, headers: { 'if-none-match': etag } });
			expect([known.status, known.bytes.length, known.headers.etag]).toEqual([304, 0, etag]);
			expect([known.headers.vary, known.headers['content-encoding']]).toEqual(['Accept-Encoding', undefined]);
		}
		const options = { method: 'PATCH', body: '{}', accept: gzip, headers: { 'if-match': etag } };
		expect((await ask('/v1/bookings/2000', options)).status).toBe(200);
		expect(gateway.calls.at(-1)!.params.if_match).toEqual([bookingExample.version]); // a weak one would match nothing
	});
});

describe('N4: connections', () => {
	const head = (path: string, accept = gzip) =>
		`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${gateway.client.key}\r\nAccept-Encoding: ${accept}\r\n`;

	/** Sends all requests at once, of which the last ends the connection, and reads the answers as slowly as `pace` says. */
	async function pipelined(requests: string[], pace: (socket: Socket) => void = () => {}): Promise<Buffer[]> {
		const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
		const chunks: Buffer[] = [];
		socket.on('data', (chunk) => {
			chunks.push(chunk);
			pace(socket);
		});
		const [last, ...others] = requests.toReversed();
		socket.write(`${others.toReversed().join('')}${last!.replace(/\r\n$/, 'Connection: close\r\n\r\n')}`);
		await once(socket, 'end');
		socket.destroy();
		return bodiesIn(Buffer.concat(chunks));
	}

	/** The bodies in what was received, decoded. */
	function bodiesIn(received: Buffer): Buffer[] {
		const bodies: Buffer[] = [];
		for (let at = 0; ; ) {
			const end = received.indexOf('\r\n\r\n', at);
			if (end === -1) return bodies;
			const lines = received.toString('latin1', at, end);
			const length = Number(/\r\nContent-Length: (\d+)/.exec(lines)![1]);
			at = end + 4 + length;
			const body = received.subarray(end + 4, at);
			bodies.push(lines.includes('\r\nContent-Encoding: gzip') ? gunzipSync(body) : body);
		}
	}

	test('When long, short and plain answers are asked for at once, then they come in the order of the requests', async () => {
		const ids = [50_000, 5, 2_000, 30_000, 900, 1, 17_000, 20_000];
		const requests = ids.map((id, at) => `${head(`/v1/bookings/${id}`, at % 3 === 0 ? 'gzip' : '*;q=0.5')}\r\n`);
		requests.push(`${head(LIST)}\r\n`, `${head('/v1/bookings/7', 'identity')}\r\n`);
		const bodies = (await pipelined(requests)).map((body) => JSON.parse(body.toString()));
		expect(bodies).toHaveLength(requests.length);
		expect(bodies.slice(0, 8).map(({ data }) => data.id)).toEqual(ids);
		expect([bodies[8].data.bookings.length, bodies[9].data.id]).toEqual([ROWS, 7]);
	});

	test('When a client reads slowly, then it gets every byte', async () => {
		const requests = Array.from({ length: 40 }, () => `${head(LIST)}\r\n`);
		const slowly = (socket: Socket) => {
			socket.pause();
			setImmediate(() => socket.resume());
		};
		const bodies = await pipelined(requests, slowly);
		expect(bodies).toHaveLength(requests.length);
		for (const body of bodies) {
			expect((JSON.parse(body.toString()) as { data: { bookings: Booking[] } }).data.bookings).toHaveLength(ROWS);
		}
	});

	test('When a client takes nothing, then its compressed answer is counted as held, and one is made at a time', async () => {
		gateway.calls.length = 0;
		const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
		socket.pause().write(`${head(LIST.replace('service_id=3', 'service_id=4'))}\r\n`.repeat(20));
		const held = () => gateway.metric('slow_clients_bytes');
		const bytes = await until(async () => (await held()) || false, { what: 'bytes that are held' });
		expect(bytes).toBeGreaterThan(1_000_000); // what the kernel has not taken
		expect(bytes).toBeLessThan(9_000_000); // of one of them, and not as it was before it was compressed
		const begun = gateway.calls.filter(({ params }) => params.offset === 0 && params.after === undefined).length;
		expect(begun).toBeGreaterThan(0);
		expect(begun).toBeLessThan(4); // the kernel takes the first ones
		socket.destroy();
		await until(async () => (await held()) === 0, { what: 'nothing to be held' });
	});

	test('When clients leave in the middle, then it is logged as that, and others are served', async () => {
		gateway.calls.length = 0;
		gateway.lines.length = 0;
		const sockets = Array.from({ length: 20 }, () => {
			const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
			socket.on('error', () => {}).write(`${head(LIST)}\r\n`);
			return socket;
		});
		await until(() => gateway.calls.filter(({ action }) => action === 'booking.listed').length > 5);
		for (const socket of sockets) socket.destroy();
		const ended = () => gateway.lines.filter((line) => line.msg === 'request' && line.status === 499).length;
		await until(() => ended() > 10, { what: 'requests whose client has gone' });
		expect(gateway.lines.filter(({ level }) => Number(level) > 40)).toEqual([]);
		expect(JSON.parse((await ask(LIST, { accept: gzip })).text).data.bookings).toHaveLength(ROWS);
	});
});
