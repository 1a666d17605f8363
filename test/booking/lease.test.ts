import { afterEach, expect, test } from '@jest/globals';
import { occurrenceKey } from '../../services/booking/document/keys.ts';
import { ENOUGH } from '../../services/booking/document/write-limit.ts';
import type { FairLock, Lease } from '../../shared/lock/fair-lock.ts';
import { localFairLock } from '../../shared/lock/local-fair-lock.ts';
import { ACCOUNT, MONDAY, NEXT_MONDAY, onBothStores, outcome, tally, World } from './engines.ts';

type Write = (...args: unknown[]) => Promise<unknown>;

/** What a write was told of its time, and what was left of the lease when it was sent, ms. */
interface Sent {
	limit: number | undefined;
	left: number;
}

/** Tells of the newest lease, and leaves the rest to a lock of one process. */
class WatchedLock {
	readonly lock: FairLock;
	lease: Lease | undefined;

	constructor(options: { ttl?: number }) {
		const real = localFairLock(options);
		this.lock = {
			stats: real.stats,
			inspect: (key) => real.inspect(key),
			close: () => real.close(),
			acquire: async (key) => {
				this.lease = await real.acquire(key);
				return this.lease;
			},
		};
	}
}

onBothStores('L5: booking under a lease', (form) => {
	let world: World;
	let watched: WatchedLock;
	let restore: (() => void)[] = [];
	const book = (time_slot_id: number, date = MONDAY) =>
		world.engines[0]!.call('create', { body: { date, time_slot_id } });

	async function start(options: { ttl?: number }): Promise<void> {
		watched = new WatchedLock(options);
		world = await World.start(form, 1, watched.lock);
	}

	/** Writes of bookings as they are sent. @param before runs first */
	function watchWrites(method: 'insertMany' | 'updateOne', before = async () => {}): Sent[] {
		const collection = world.store.connection.collection('bookings') as unknown as Record<string, Write>;
		const original = collection[method]!;
		const sent: Sent[] = [];
		collection[method] = async (...args) => {
			const options = args.at(-1) as { maxTimeMS?: number };
			sent.push({ limit: options.maxTimeMS, left: watched.lease!.remaining() });
			await before();
			return original.apply(collection, args);
		};
		restore.push(() => {
			collection[method] = original;
		});
		return sent;
	}

	afterEach(() => {
		for (const undo of restore) undo();
		restore = [];
	});

	test('L5: When a lease is long enough, then the write is given less time than is left of it', async () => {
		await start({ ttl: 60_000 });
		const slot = world.addSlot(1);
		const inserts = watchWrites('insertMany');
		const { data } = await book(slot.id);
		const updates = watchWrites('updateOne');
		await world.engines[0]!.call('update', { booking_id: data.id, body: { date: NEXT_MONDAY } });
		for (const { limit, left } of [inserts[0]!, updates[0]!]) {
			expect(limit).toBeGreaterThanOrEqual(ENOUGH - 200);
			expect(limit).toBeLessThan(left);
		}
		expect(watched.lock.stats).toMatchObject({ acquired: 2, lost: 0 });
		expect(watched.lock.stats.held.count).toBe(2);
		await world.stop();
	});

	test('L5: When too little of a lease is left, then it is given back before the write, which goes on without it', async () => {
		await start({ ttl: ENOUGH - 500 });
		const slot = world.addSlot(10);
		const holders: (string | null)[] = [];
		const key = occurrenceKey({ account_id: ACCOUNT, time_slot_id: slot.id, date: MONDAY });
		const inserts = watchWrites('insertMany', async () => {
			holders.push((await watched.lock.inspect(key)).holder);
		});
		const outcomes = await Promise.all(Array.from({ length: 40 }, () => outcome(book(slot.id))));
		expect(tally(outcomes)).toEqual({ ok: 10, 'time slot is full': 30 });
		expect(inserts.map(({ limit }) => limit)).toEqual(inserts.map(() => undefined));
		expect(holders).toEqual(inserts.map(() => null));
		expect(watched.lock.stats.lost).toBeGreaterThanOrEqual(1);
		expect(await world.active(slot)).toBe(10);
		await world.stop();
	});
});
