import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { LOCK_SCRIPTS } from '../../../shared/lock/lock-commands.ts';
import { redisFairLock } from '../../../shared/lock/redis-fair-lock.ts';
import { keyOf } from '../../support/account-keys.ts';
import { startRedis } from '../../support/servers.ts';
import { type LeaseRecord, overlappingLeases } from './check-leases.ts';

/** @param forgets whether the release gives away whosever lock it finds. @returns leases that overlap */
export async function overlapsWhere(forgets: boolean): Promise<string[]> {
	const right = LOCK_SCRIPTS.release.lua;
	const wrong = right.replace('local ours = holder == ARGV[1]', 'local ours = true');
	if (wrong === right) throw new Error('the release script reads otherwise than this sabotage expects');
	const directory = mkdtempSync(join(tmpdir(), 'slotwise-teeth-'));
	const redis = await startRedis(directory);
	LOCK_SCRIPTS.release.lua = forgets ? wrong : right;
	try {
		return overlappingLeases(await lateHolders(redis.url));
	} finally {
		LOCK_SCRIPTS.release.lua = right;
		await redis.stop();
		rmSync(directory, { recursive: true, force: true });
	}
}

/** Four that take turns under a short lease; every third time one works on after its end, and releases late. */
async function lateHolders(url: string): Promise<LeaseRecord[]> {
	const locks = Array.from({ length: 4 }, () =>
		redisFairLock({ url, namespace: 'teeth', ttl: 120, answerWithin: 1_000 }),
	);
	const records: LeaseRecord[] = [];
	await Promise.all(
		locks.map(async (lock) => {
			for (let turn = 0; turn < 12; turn++) {
				const lease = await lock.acquire(keyOf(7, '2027-01-04'));
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
