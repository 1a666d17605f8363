import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Booking } from '../shared/contract/schemas/booking.ts';
import { Client } from '../test/support/http-client.ts';
import { type Form, startProduct } from '../test/support/product.ts';
import { bookingBody, slotOn } from '../test/support/scheduling.ts';
import { until } from '../test/support/until.ts';
import { cpuOf, memoryOf } from './processes.ts';
import { percentile } from './statistics.ts';

/**
 * Deliveries to 100 webhooks of 4 accounts: as many bookings are made as it takes, as fast as 8 clients can, and each is
 * posted to the 25 webhooks of its account. Prints the rate, the lag while bookings come and at the end, and the memory of
 * the processes that deliver.
 *
 *   npm run bench:webhooks [-- <deliveries>]   default 100,000; FORM=cluster with TEST_MONGO_URL for the other form
 *
 * HEAP=96 allows each process so many MiB of old heap, and it ends where it needs more: what waits, waits in the store.
 */
const DELIVERIES = Number(process.argv[2] ?? 100_000);
const FORM: Form = process.env.FORM === 'cluster' ? 'cluster' : 'embedded';
const ACCOUNTS = 4;
const WEBHOOKS = 25;
const CLIENTS = 8;
const SAMPLE_EVERY = 500; // ms
const events = Math.ceil(DELIVERIES / WEBHOOKS);

/** Counts what arrives, and keeps no body. */
const seen = new Set<string>();
const lags: number[] = [];
let repeated = 0;
const receiver = createServer((request, response) => {
	const chunks: Buffer[] = [];
	request.on('data', (chunk: Buffer) => chunks.push(chunk));
	request.on('end', () => {
		response.writeHead(204).end();
		const key = `${request.url} ${request.headers['webhook-id']}`;
		if (seen.has(key)) repeated++;
		else lags.push(Date.now() - Date.parse(JSON.parse(Buffer.concat(chunks).toString('utf8')).timestamp));
		seen.add(key);
	});
});
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
const { port } = receiver.address() as AddressInfo;

const { HEAP } = process.env;
const product = await startProduct({
	form: FORM,
	keys: { Unlimited: ACCOUNTS },
	counts: { notifications: 2 },
	env: HEAP === undefined ? {} : { NODE_OPTIONS: `--max-old-space-size=${HEAP} --max-semi-space-size=16` },
});
const delivering = () => product.of('notifications').map(({ pid }) => pid);
const accounts = await Promise.all(product.keys.Unlimited.map((key) => prepare(new Client(product.urls, key))));
const memory: number[] = [memoryOf(delivering())];
const sampling = setInterval(() => memory.push(memoryOf(delivering())), SAMPLE_EVERY);

const cpuBefore = cpuOf(delivering());
const began = performance.now();
let next = 0;
const customers = async () => {
	for (let n = next++; n < events; n = next++) {
		const { client, place } = accounts[n % ACCOUNTS]!;
		const body = bookingBody(place, { customer_email: `n${n}@example.com` });
		(await client.post<Booking>('/v1/bookings', body)).mustBe(201);
	}
};
await Promise.all(Array.from({ length: CLIENTS }, customers));
const booked = performance.now();
const whileBooking = lags.length;
await until(() => seen.size >= events * WEBHOOKS, { timeout: 3_600_000, interval: 5, what: 'the last delivery' });
const ended = performance.now();
const cpu = cpuOf(delivering()) - cpuBefore;
clearInterval(sampling);
memory.push(memoryOf(delivering()));

const seconds = (ms: number) => (ms / 1_000).toFixed(1);
const row = (name: string, value: string) => `| ${name} | ${value} |`;
process.stdout.write(
	[
		`${(events * WEBHOOKS).toLocaleString('en')} deliveries to ${ACCOUNTS * WEBHOOKS} webhooks of ${ACCOUNTS} accounts, ${FORM}`,
		'',
		'| Measure | Value |',
		'|---|---|',
		row('bookings/s while they came', ((events * 1_000) / (booked - began)).toFixed(0)),
		row(
			'deliveries/s, from the first booking to the last delivery',
			((events * WEBHOOKS * 1_000) / (ended - began)).toFixed(0),
		),
		row('delivered when the last booking was answered', whileBooking.toLocaleString('en')),
		row('lag at the end: from then to the last delivery, s', seconds(ended - booked)),
		row(
			'from change to delivery, p50 / p99 / max, s',
			[50, 99, 100].map((p) => seconds(percentile(lags, p))).join(' / '),
		),
		row('delivered more than once', String(repeated)),
		row('CPU of the delivering processes, ms a delivery', (cpu / seen.size).toFixed(2)),
		row(
			'memory of the delivering processes, start / most / end, MiB',
			[memory[0]!, Math.max(...memory), memory.at(-1)!].map((mib) => mib.toFixed(0)).join(' / '),
		),
		'',
	].join('\n'),
);
receiver.closeAllConnections();
receiver.close();
await product.stop();

async function prepare(client: Client) {
	const place = await slotOn(client, { max_bookings: 10_000 });
	for (let number = 0; number < WEBHOOKS; number++) {
		const url = `http://127.0.0.1:${port}/${place.service.provider_id}/${number}`;
		(await client.post('/v1/webhooks', { url })).mustBe(201);
	}
	return { client, place };
}
