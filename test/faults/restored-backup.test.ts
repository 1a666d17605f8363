import { cpSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { type Document, MongoClient } from 'mongodb';
import { createClient, type Event } from '../../clients/typescript/src/index.ts';
import { auditOf, ops, opsWith } from '../ops/ops.ts';
import { eventsOf, eventsUpTo } from '../support/feed.ts';
import { Client } from '../support/http-client.ts';
import { embeddedDataDir, type Form, type Product, startProduct } from '../support/product.ts';
import { book, newCustomer, slotOn } from '../support/scheduling.ts';
import { whyNoCluster } from '../support/servers.ts';
import { until } from '../support/until.ts';

/** Makes a backup of a product. @returns what puts it where the store is, while no process runs */
async function backedUp(product: Product): Promise<() => Promise<void>> {
	if (product.mongoUrl !== undefined) return databaseOf(product.mongoUrl);
	const [dataDir, backup] = [embeddedDataDir(product), join(product.directory, 'backup')];
	expect(await ops(dataDir, 'backup', backup)).toMatchObject({ code: 0, stderr: '' });
	return async () => {
		renameSync(dataDir, join(product.directory, 'data.before'));
		cpSync(backup, dataDir, { recursive: true });
	};
}

/** The whole database, while nothing is written. */
async function databaseOf(url: string): Promise<() => Promise<void>> {
	const connected = async <T>(use: (client: MongoClient) => Promise<T>): Promise<T> => {
		const client = new MongoClient(url);
		return use(client).finally(() => client.close());
	};
	const kept = new Map<string, Document[]>();
	await connected(async (client) => {
		for (const { name } of await client.db().listCollections().toArray()) {
			kept.set(name, await client.db().collection(name).find({}).toArray());
		}
	});
	return () =>
		connected(async (client) => {
			for (const { name } of await client.db().listCollections().toArray()) {
				const documents = kept.get(name) ?? [];
				await client.db().collection(name).deleteMany({});
				if (documents.length > 0) await client.db().collection(name).insertMany(documents);
			}
		});
}

/** Has all processes stopped while `act` runs; who follows the feed waits for them. */
async function whileStopped({ processes }: Product, act: () => Promise<void>): Promise<void> {
	await Promise.all(processes.map((one) => one.stop()));
	await act();
	await Promise.all(processes.map((one) => one.restart()));
	await Promise.all(processes.map((one) => one.ready()));
}

async function restoreUnderReaders(product: Product, signal: AbortSignal): Promise<void> {
	const client = new Client(product.urls, product.keys.Unlimited[0]!);
	const slotwise = createClient({ baseUrl: client.url, apiKey: client.key! });
	const place = await slotOn(client, { max_bookings: 100 });
	const bookings = async (count: number) => {
		for (let number = 0; number < count; number++) await book(client, place, newCustomer());
	};
	await bookings(3);
	await eventsUpTo(client, 3);
	const restore = await backedUp(product);
	await bookings(4);
	await eventsUpTo(client, 7);

	/** Follows the feed until it ends. */
	const follow = (after: number, types?: Event['type'][]) => {
		const reader: { seen: number[]; told?: unknown } = { seen: [] };
		const options = { after, signal, ...(types && { types }) };
		const reading = async () => {
			for await (const event of slotwise.events(options)) reader.seen.push(event.sequence);
		};
		reading().catch((error: unknown) => {
			reader.told = error;
		});
		return reader;
	};
	const [further, ofOneType, atItsEnd, before] = [follow(7), follow(6, ['booking.deleted']), follow(3), follow(2)];
	await until(() => atItsEnd.seen.length === 4 && before.seen.length === 5);
	await whileStopped(product, restore);
	const told = {
		name: 'SlotwiseError',
		status: 410,
		code: 'events_expired',
		message: expect.stringMatching(
			/^after: the feed ends with 3, so [67] was .* read the bookings anew, then go on with after=0$/,
		),
	};
	for (const reader of [further, ofOneType, atItsEnd, before]) {
		await until(() => reader.told !== undefined, {
			timeout: 60_000,
			what: 'a reader from after the backup to be told',
		});
		expect(reader.told).toMatchObject(told);
	}

	const [early, anew] = [follow(3), follow(0)]; // who had read no further than the backup, and who began anew
	await bookings(1);
	await until(() => early.seen.length === 1 && anew.seen.length === 4);
	expect([early.seen, anew.seen]).toEqual([[4], [1, 2, 3, 4]]);
	expect([early.told, anew.told]).toEqual([undefined, undefined]);
	const [{ data }] = (await eventsOf(client)) as [Awaited<ReturnType<typeof eventsOf>>[number]];
	const tail = ['events', 'tail', data.user_id, '--after'];
	expect(await opsWith(product.operatorEnv, product.directory, [...tail, '7'])).toEqual({
		code: 2,
		stdout: '',
		stderr: `There is no event 7 of account ${data.user_id}: its feed ends with 4.\n`,
	});
	const atEnd = await opsWith(product.operatorEnv, product.directory, [...tail, '4']);
	expect(atEnd).toEqual({ code: 0, stdout: 'no events\n', stderr: '' });
}

async function inProduct(form: Form): Promise<void> {
	const product = await startProduct({ form, keys: { Unlimited: 1 } });
	const ended = new AbortController();
	try {
		await restoreUnderReaders(product, ended.signal);
		if (form === 'embedded') expect(await auditOf(embeddedDataDir(product))).toMatchObject({ findings_count: 0 });
	} finally {
		ended.abort(new Error('enough'));
		await product.stop();
	}
}

describe('W7: An older backup is restored', () => {
	test('W7: When readers of the feed are further on, embedded, then each is told, and the others miss nothing', async () => {
		await inProduct('embedded');
	});

	const inCluster = whyNoCluster() === undefined ? test : test.skip;
	inCluster('W7: When they are, in a cluster, then each is told, and the others miss nothing', async () => {
		await inProduct('cluster');
	});
});
