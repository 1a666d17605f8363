import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import type { TimeSlot } from '../../shared/api/time-slot.ts';
import { LOCK_SCRIPTS } from '../../shared/lock/lock-commands.ts';
import { redisPlaceLock } from '../../shared/lock/place-lock.ts';
import { Cluster, whyNoProof } from '../proof/cluster.ts';
import { recordDirectory } from '../proof/directory.ts';
import { Recorder } from '../proof/recorder.ts';
import { summarise } from '../proof/summary.ts';
import { type LeaseRecord, overlappingLeases } from '../proof/teeth/check-leases.ts';
import { RecordedApi } from '../proof/workload/recorded-api.ts';
import { readFinalState } from '../proof/workload/settle.ts';
import { Workload } from '../proof/workload/workload.ts';
import { dateOn } from '../support/calendar.ts';
import { Client } from '../support/http-client.ts';
import { startProduct } from '../support/product.ts';
import { slotInput } from '../support/scheduling.ts';
import { startRedis } from '../support/servers.ts';

const missing = whyNoProof();
const inCluster = missing === undefined ? describe : describe.skip;
const withRedis = missing?.includes('redis-server') ? describe.skip : describe;

describe('the proof’s teeth: a relay that leaves something out', () => {
	test.each([
		['nothing', undefined, []],
		['an event', 'relay-skips-events.ts', ['events']],
		['a customer', 'relay-forgets-customers.ts', ['directory']],
	])(
		'When the relay leaves out %s, then the checker says so',
		async (_, file, expected) => {
			const isSabotaged = file !== undefined;
			const preload = `--import ${import.meta.dirname}/sabotage/${file}`;
			const env: Record<string, string> = isSabotaged ? { NODE_OPTIONS: preload } : {};
			const product = await startProduct({ form: 'embedded', keys: { Unlimited: 1 }, env });
			try {
				const recorder = new Recorder();
				const http = new Client(() => product.urls(), product.keys.Unlimited[0]);
				const workload = new Workload({ accounts: [{ name: 'a', http }], recorder, seed: 1, clients: 6, pace: 20 });
				await workload.prepare();
				workload.start();
				await delay(3_000);
				await workload.stop();
				await workload.settle(isSabotaged ? 3_000 : undefined);
				await recordDirectory(product, recorder);
				const rules = new Set(summarise(recorder.lines).violations.map(({ rule }) => rule));
				expect([...rules]).toEqual(expect.arrayContaining(expected));
				expect(rules.size > 0).toBe(isSabotaged);
			} finally {
				await product.stop();
			}
		},
		120_000,
	);
});

inCluster(`the proof’s teeth: a store without its unique index${missing ? ` (skipped: ${missing})` : ''}`, () => {
	test('When the seats’ index is dropped and the lock is away, then the checker finds an overbooking', async () => {
		const cluster = await Cluster.start({ accounts: 1 });
		try {
			const mongo = new MongoClient(cluster.product.mongoUrl!);
			await mongo.db().collection('bookings').dropIndex('seat_key');
			await mongo.close();
			await cluster.proxies.redis.set({ kind: 'cut' });
			const recorder = new Recorder();
			const [{ name, http } = { name: '', http: new Client([]) }] = cluster.accounts();
			const api = new RecordedApi(name, http, recorder);
			await contend(api);
			await readFinalState(api, recorder, 5_000);
			const rules = new Set(summarise(recorder.lines).violations.map(({ rule }) => rule));
			expect([...rules]).toContain('capacity');
		} finally {
			await cluster.stop();
		}
	}, 180_000);
});

/** Ten slots of two places, each wanted by 30 at once. */
async function contend(api: RecordedApi): Promise<void> {
	const time_slots = Array.from({ length: 10 }, () => slotInput({ max_bookings: 2 }));
	const made = await api.ask(0, { kind: 'create service', body: { time_slots } });
	const { id: service_id } = made.data as { id: number };
	const slots = (await api.ask(0, { kind: 'list slots', service_id })).data as TimeSlot[];
	for (const { id: time_slot_id } of slots) {
		const body = { time_slot_id, date: dateOn(1) };
		await Promise.all(
			Array.from({ length: 30 }, (_, client) =>
				api.ask(client, { kind: 'create', body: { ...body, message: `${client}` } }),
			),
		);
	}
}

withRedis('the proof’s teeth: a lock whose release forgets the token', () => {
	const right = LOCK_SCRIPTS.release.lua;
	const wrong = right.replace('local ours = holder == ARGV[1]', 'local ours = true');

	afterEach(() => {
		LOCK_SCRIPTS.release.lua = right;
	});

	test.each([false, true])(
		'When the release forgets the token (%s), then two hold the lock at once',
		async (forgets) => {
			expect(wrong).not.toBe(right);
			LOCK_SCRIPTS.release.lua = forgets ? wrong : right;
			const directory = mkdtempSync(join(tmpdir(), 'slotwise-teeth-'));
			const redis = await startRedis(directory);
			try {
				expect(overlappingLeases(await lateHolders(redis.url)).length > 0).toBe(forgets);
			} finally {
				await redis.stop();
				rmSync(directory, { recursive: true, force: true });
			}
		},
		60_000,
	);
});

/** Four that take turns under a short lease; every third time one works on after its end, and releases late. */
async function lateHolders(url: string): Promise<LeaseRecord[]> {
	const locks = Array.from({ length: 4 }, () =>
		redisPlaceLock({ url, namespace: 'teeth', ttl: 120, answerWithin: 1_000 }),
	);
	const records: LeaseRecord[] = [];
	await Promise.all(
		locks.map(async (lock) => {
			for (let turn = 0; turn < 12; turn++) {
				const lease = await lock.acquire('7:2027-01-04');
				if (lease === undefined) continue;
				const from = performance.now();
				const expires = from + lease.remaining();
				await delay(turn % 3 === 0 ? 200 : 60);
				records.push({ place: lease.key, from, to: Math.min(performance.now(), expires) });
				await lease.release();
			}
		}),
	);
	await Promise.all(locks.map((lock) => lock.close()));
	return records;
}
