import { cpus, loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { BSON, MongoClient } from 'mongodb';
import { Client } from '../../../test/support/http-client.ts';
import type { Cost, Costs, Hold, Kind } from '../costs.ts';
import * as batches from './batches.ts';
import type { Bench } from './bench.ts';
import { measureCeilings } from './ceilings.ts';
import { difference, type Reading, read } from './reading.ts';

const REQUESTS = 320;
const CLIENTS = 16;
/** Requests by eight keys, whose plan may have a burst of 50 */
const FEW = 320;
const IDLE = 5_000; // ms
/** ms for relay, feed and directory to be done after a batch */
const SETTLE = 1_200;
/** ms after which a gateway looks a key up again */
const FORGOTTEN = 4_500;

/** Runs a batch of each kind and counts what it costs. Takes about a minute on two cores. */
export async function measureCosts(bench: Bench): Promise<Costs> {
	const [hot, single, subscribed, ...keys] = bench.product.keys.Unlimited;
	const tenants = await Promise.all(keys.slice(0, 8).map((key) => batches.newTenant(bench, key)));
	const [crowd, loner, listener] = await Promise.all(
		[hot!, single!, subscribed!].map((key) => batches.newTenant(bench, key)),
	);
	const made: batches.Made[] = [];
	await batches.run(batches.spreadCreates(tenants, REQUESTS, CLIENTS)); // warms everything up
	const idle = await measureIdle(bench);
	const kinds: Partial<Record<Kind, Cost>> = {};
	const place: Hold[] = [];
	const events: Hold[] = [];
	const measure = async (kind: Kind | undefined, batch: batches.Batch) => {
		const change = await costOf(bench, batch, idle);
		if (kind !== undefined) kinds[kind] = { requests: batch.requests, clients: batch.clients, per: rounded(change) };
		return change;
	};
	await measure('create', batches.spreadCreates(tenants, REQUESTS, CLIENTS, made));
	await measure('create one at a time', batches.spreadCreates(tenants, 120, 1));
	for (const clients of [1, 16, 64, 128]) {
		const kind = clients === 64 ? 'create hot' : undefined;
		const batch = batches.hotCreates(crowd!, clients === 1 ? 60 : 8 * clients, clients, clients);
		place.push(holdOf('booking', batch, await measure(kind, batch)));
	}
	for (const clients of [1, 16, 64, 128]) {
		const batch = batches.spreadCreates([loner!], clients === 1 ? 60 : 5 * clients, clients);
		events.push(holdOf('notifications', batch, await measure(undefined, batch)));
	}
	await measure('get', batches.gets(made, REQUESTS, CLIENTS));
	await measure('get, nothing there', unheardOf(bench, keys.slice(0, 8)));
	await batches.run(unheardOf(bench, keys.slice(8))); // their first request of the month costs more
	await delay(FORGOTTEN);
	await measure('get, unknown key', unheardOf(bench, keys.slice(8)));
	await measure('get with a rate', unheardOf(bench, bench.product.keys.Growth));
	await measure('list', batches.lists(tenants, REQUESTS, CLIENTS));
	await measure('availability', batches.availabilities(tenants, REQUESTS, CLIENTS));
	await measure('confirm', batches.patches(made, CLIENTS, { status: 'confirmed' }));
	await measure('cancel', batches.patches(made, CLIENTS, { status: 'cancelled', cancel_reason: 'ill' }));
	await measure('delete', batches.deletes(made, CLIENTS));
	kinds.delivery = await measureDeliveries(bench, listener!, idle);
	const bytes = await measureBytes(bench.product.mongoUrl!);
	await bench.product.add('booking');
	await bench.product.add('booking');
	await measure('create, several processes', batches.spreadCreates(tenants, REQUESTS, CLIENTS));
	return {
		measured: {
			at: new Date().toISOString(),
			machine: cpus()[0]!.model.trim(),
			cores: cpus().length,
			load: loadavg()[0]!,
			database: process.env.SCALE_DATABASE_NAME ?? 'unnamed',
			node: process.version,
		},
		idle: { processes: 6, per: rounded(idle) },
		kinds: kinds as Costs['kinds'],
		holds: { place, events },
		ceilings: await measureCeilings(bench.product.mongoUrl!),
		bytes,
	};
}

async function measureIdle(bench: Bench): Promise<Reading> {
	await delay(SETTLE);
	const [before, began] = [await read(bench), performance.now()];
	await delay(IDLE);
	return perUnit(difference(await read(bench), before), (performance.now() - began) / 1_000);
}

/** What a request of the batch costs, all that follows from it included. */
async function costOf(bench: Bench, batch: batches.Batch, idle: Reading): Promise<Reading> {
	const [before, began] = [await read(bench), performance.now()];
	await batches.run(batch);
	await delay(SETTLE);
	const seconds = (performance.now() - began) / 1_000;
	const change = difference(await read(bench), before);
	const own = Object.entries(change).map(([name, value]) => [name, Math.max(0, value - seconds * (idle[name] ?? 0))]);
	return perUnit(Object.fromEntries(own), batch.requests);
}

function holdOf(service: 'booking' | 'notifications', { clients }: batches.Batch, per: Reading): Hold {
	const [count, seconds] = [per[`hold.${service}.count`]!, per[`hold.${service}.seconds`]!];
	return { clients, size: round(1 / count), ms: round((1_000 * seconds) / count) };
}

/** A booking that is not there, by these keys in turn. Of more than a gateway has seen lately, each is looked up. */
function unheardOf(bench: Bench, keys: readonly string[]): batches.Batch {
	const clients = keys.map((key) => new Client(bench.product.urls, key));
	const send = async (n: number) => (await clients[n % clients.length]!.get('/v1/bookings/999999999')).mustBe(404);
	return { requests: Math.max(keys.length, FEW), clients: CLIENTS, send };
}

/** Creations of an account with webhooks against those of the same without, by delivery. */
async function measureDeliveries(bench: Bench, tenant: batches.Tenant, idle: Reading): Promise<Cost> {
	const webhooks = 4;
	const without = await costOf(bench, batches.spreadCreates([tenant], 160, CLIENTS), idle);
	for (let number = 0; number < webhooks; number++) {
		(await tenant.client.post('/v1/webhooks', { url: bench.receiver.url(`/${number}`) })).mustBe(201);
	}
	const batch = batches.spreadCreates([tenant], 160, CLIENTS);
	const all = batch.requests * webhooks;
	const sent = { ...batch, requests: batch.requests };
	const before = bench.receiver.received.length;
	const withThem = await costOf(bench, { ...sent, send: (n) => sendAndWait(bench, sent, n, before + all) }, idle);
	return { requests: all, clients: CLIENTS, per: rounded(perUnit(positive(withThem, without), webhooks)) };
}

/** The last request of the batch ends when everything was delivered. */
async function sendAndWait(bench: Bench, batch: batches.Batch, n: number, deliveries: number): Promise<void> {
	await batch.send(n);
	while (n === batch.requests - 1 && bench.receiver.received.length < deliveries) await delay(20);
}

async function measureBytes(url: string): Promise<Costs['bytes']> {
	const client = await MongoClient.connect(url);
	const sizeOf = async (collection: string) => {
		const documents = await client.db().collection(collection).find().limit(200).toArray();
		const sum = documents.reduce((total, document) => total + BSON.calculateObjectSize(document), 0);
		return Math.round(sum / documents.length);
	};
	const [booking, event, delivery, customer] = await Promise.all(
		['bookings', 'events', 'deliveries', 'customers'].map(sizeOf),
	);
	await client.close();
	return { booking: booking!, event: event!, delivery: delivery!, customer: customer! };
}

function positive(of: Reading, less: Reading): Reading {
	return Object.fromEntries(Object.entries(of).map(([name, value]) => [name, Math.max(0, value - (less[name] ?? 0))]));
}

function perUnit(reading: Reading, units: number): Reading {
	return Object.fromEntries(Object.entries(reading).map(([name, value]) => [name, value / units]));
}

/** Three digits; what is nothing is left out. */
function rounded(reading: Reading): Reading {
	return Object.fromEntries(
		Object.entries(reading)
			.map(([name, value]): [string, number] => [name, round(value)])
			.filter(([, value]) => Math.abs(value) >= 0.001)
			.sort(([a], [b]) => a.localeCompare(b)),
	);
}

function round(value: number): number {
	return Number(value.toPrecision(3));
}
