import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { addDays } from '../../shared/calendar/plain-date.ts';
import { askAdmin } from '../support/ask-admin.ts';
import { bound } from '../support/bound.ts';
import { dateOn } from '../support/calendar.ts';
import { decided } from '../support/decided.ts';
import { Client } from '../support/http-client.ts';
import { limitMemory, type MemoryLimit } from '../support/memory-limit.ts';
import { type Product, startProduct } from '../support/product.ts';
import { highestMemory, tellsMemory } from '../support/resident-memory.ts';
import { book, createService, newCustomer, slotOn } from '../support/scheduling.ts';
import { dearSlots } from './bystanders/world.ts';

/** Where the kernel lets us make no limit: with the heap that Node takes in one of 512 MiB */
const SMALL_HEAP = ['/bin/sh', '-c', 'node=$1; shift; exec "$node" --max-heap-size=256 "$@"', 'sh'];
/** MB that hostile clients may cost beside what the process had before, and that it may have in all (promise X6) */
const MORE = 64;
const IN_ALL = 512;
/** Bytes of answers and bodies that may wait for them */
const HELD = 24 * 1024 * 1024;
/** ms for which the hostile clients stay, and that an answer for somebody else may take meanwhile */
const STAY = Number(process.env.MEMORY_FOR ?? 2_000);
/** Rounds of ordinary work that is measured before each: of small requests as many as they stay long, of large ones a fifth */
const [SMALL, LARGE] = [Math.min(50, STAY / 200), Math.min(10, STAY / 1_000)];
const PATIENCE = bound(5_000, 30_000);

/** What a hostile client sends over each of its connections; it reads none of the answers. */
interface Attack {
	what: string;
	connections: number;
	/** @param connection from 0 */
	send(connection: number): string;
}

const suite = tellsMemory ? describe : describe.skip;

suite('X6: what clients cost that ask and do not read, or send and do not end', () => {
	let limit: MemoryLimit | undefined;
	let product: Product;
	let hostile: Client;
	let bystander: Client;
	/** Path of the largest page */
	let script: string;
	let list: string;
	/** A list of which next to nothing is left out where it is compressed */
	let noise: string;
	/** 46,000 rows of 10 MB */
	let availability: string;
	let sockets: Socket[] = [];

	beforeAll(async () => {
		limit = limitMemory(IN_ALL);
		product = await startProduct({
			form: 'embedded',
			keys: { Unlimited: 3 },
			directLogs: true,
			prefix: limit?.prefix ?? SMALL_HEAP,
		});
		const [first, second] = product.keys.Unlimited as [string, string];
		hostile = new Client(() => product.urls(), first);
		bystander = new Client(() => product.urls(), second);
		script = /\/docs\/scalar-[^"]+\.js/.exec((await hostile.get('/docs')).text)![0];
		const place = await slotOn(hostile, { max_bookings: 1_000 });
		const make = () => book(hostile, place, { ...newCustomer(), message: 'm'.repeat(1_000) });
		for (let i = 0; i < 50; i++) await Promise.all(Array.from({ length: 20 }, make));
		list = `/v1/bookings?service_id=${place.service.id}&page=1&page_size=1000`;
		const other = await slotOn(hostile, { max_bookings: 1_000 });
		const makeNoise = () =>
			book(hostile, other, { ...newCustomer(), message: randomBytes(750).toString('base64').slice(0, 1_000) });
		for (let i = 0; i < 50; i++) await Promise.all(Array.from({ length: 20 }, makeNoise));
		noise = list.replace(String(place.service.id), String(other.service.id));
		const services: number[] = [];
		for (let i = 0; i < 7; i++) services.push((await createService(hostile, { time_slots: dearSlots() })).id);
		const [from, to] = [dateOn(1), addDays(dateOn(1), 91)];
		availability = `/v1/availability?service_ids=${services.join(',')}&from=${from}&to=${to}`;
		await warmUp(10, 50);
	});
	afterEach(() => {
		for (const socket of sockets) socket.destroy();
		sockets = [];
		expect(product.processes[0]!.ended).toBe(false);
	});
	afterAll(async () => {
		await product?.stop();
		limit?.remove();
	});

	/** What it has after a start is less than what it needs for ordinary work. */
	async function warmUp(large = LARGE, small = SMALL): Promise<void> {
		for (const path of [script, '/openapi.json', list]) for (let i = 0; i < large; i++) await hostile.get(path);
		for (let i = 0; i < small; i++) await Promise.all(Array.from({ length: 50 }, () => hostile.get('/v1/usage')));
	}

	const line = (method: string, path: string) => `${method} ${path} HTTP/1.1\r\nHost: x\r\n`;
	const withKey = (method: string, path: string) => `${line(method, path)}Authorization: Bearer ${hostile.key}\r\n`;
	const packed = (path: string) => `${withKey('GET', path)}Accept-Encoding: gzip\r\n\r\n`;
	const poll = () => `${line('GET', '/v1/events?wait=30')}Authorization: Bearer ${product.keys.Unlimited[2]}\r\n`;
	const post = (more: string) => `${withKey('POST', '/v1/services')}Content-Type: application/json\r\n${more}\r\n\r\n`;

	const attacks: Attack[] = [
		{ what: '500 HEADs of the largest page', connections: 1, send: () => `${line('HEAD', script)}\r\n`.repeat(500) },
		{ what: '500 GETs of the largest page', connections: 1, send: () => `${line('GET', script)}\r\n`.repeat(500) },
		{ what: 'a GET of /openapi.json', connections: 1_300, send: () => `${line('GET', '/openapi.json')}\r\n` },
		{
			what: '100 GETs of /openapi.json',
			connections: 200,
			send: () => `${line('GET', '/openapi.json')}\r\n`.repeat(100),
		},
		{ what: '2,500 of the smallest requests', connections: 200, send: () => `${line('GET', '/')}\r\n`.repeat(2_500) },
		{ what: '100 lists of 1,000 bookings', connections: 1, send: () => `${withKey('GET', list)}\r\n`.repeat(100) },
		{ what: '500 lists, compressed', connections: 1, send: () => packed(list).repeat(500) },
		{ what: '500 lists of noise, compressed', connections: 1, send: () => packed(noise).repeat(500) },
		{ what: '100 lists of noise, compressed', connections: 200, send: () => packed(noise).repeat(100) },
		{ what: 'a list of 1,000 bookings', connections: 200, send: () => `${withKey('GET', list)}\r\n` },
		{
			what: 'another list of some 900 bookings each',
			connections: 200,
			send: (connection) => `${withKey('GET', list.replace('1000', String(1_000 - connection)))}\r\n`,
		},
		{
			what: 'an availability of 10 MB',
			connections: 200,
			send: () => `${withKey('GET', availability)}\r\n`,
		},
		{ what: '500 long polls', connections: 200, send: () => `${poll()}\r\n`.repeat(500) },
		{
			what: 'all but the end of a body of 256 KiB',
			connections: 200,
			send: () => `${post('Content-Length: 262144')}${' '.repeat(262_000)}`,
		},
		{
			what: 'a body in chunks of a byte',
			connections: 200,
			send: () => `${post('Transfer-Encoding: chunked')}${'1\r\n \r\n'.repeat(30_000)}`,
		},
		{
			what: 'all but the end of 16 KiB of short headers',
			connections: 200,
			send: () => `${line('GET', '/v1/usage')}${'a:b\r\n'.repeat(3_200)}`,
		},
		{
			what: 'a long poll with 16 KiB of short headers',
			connections: 200,
			send: () => `${poll()}${'a:b\r\n'.repeat(3_100)}\r\n`,
		},
	];

	test.each(attacks)(
		'X6: When clients send $what over $connections connections, then it costs less than 64 MB, and others are served',
		async ({ connections, send }) => {
			const { pid } = product.processes[0]!;
			const before = await highestMemory(pid, () => warmUp()); // what ordinary work takes, garbage included
			const highest = await highestMemory(pid, async () => {
				sockets = Array.from({ length: connections }, (_, connection) => dial(send(connection)));
				for (const end = performance.now() + STAY; performance.now() < end; await delay(100)) {
					const answer = bystander.get('/v1/usage');
					expect((await Promise.race([answer, delay(PATIENCE)]))?.status).toBe(200);
				}
			});
			expect(highest - before).toBeLessThan(MORE);
			expect(highest).toBeLessThan(IN_ALL);
			expect(await metric('slotwise_slow_clients_bytes')).toBeLessThanOrEqual(HELD);
		},
	);

	test('X6: When a client reads large answers as they come, several at once, then each is whole', async () => {
		for (let round = 0; round < 2; round++) {
			const answers = await Promise.all(Array.from({ length: 3 }, () => decided(() => hostile.get(availability))));
			expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
		}
	});

	test('X6: When clients keep too much, then operators see how often that cost one its request', async () => {
		expect(await metric('slotwise_slow_clients_cut_total')).toBeGreaterThan(0);
	});

	async function metric(name: string): Promise<number> {
		const text = await (await askAdmin(`${product.processes[0]!.adminUrl}/metrics`)).text();
		return Number(new RegExp(`^${name}(?:\\{.*\\})? (.+)$`, 'm').exec(text)?.[1]);
	}

	function dial(bytes: string): Socket {
		const { hostname, port } = new URL(product.urls()[0]!);
		const socket = connect(Number(port), hostname, () => socket.write(bytes));
		return socket.pause().on('error', () => {});
	}
});
