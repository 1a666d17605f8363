import { expect } from '@jest/globals';
import type { AccountKey } from '../../shared/contract/actions/common.ts';
import type { FairLock } from '../../shared/lock/fair-lock.ts';
import type { Locks } from './locks.ts';

export const CLIENTS = 50;
export const WAITS = 20;
export const ALL = CLIENTS * WAITS;

/** 50 clients without a limit to their patience, each with connections of its own, as separate processes have them. */
export function openLine(locks: Locks): Promise<FairLock[]> {
	return Promise.all(Array.from({ length: CLIENTS }, () => locks.open({ ttl: 10_000, maxWait: 300_000 })));
}

/** All at once, 20 times each; whoever was served asks again. */
export async function waitInTurns(line: FairLock[], place: AccountKey, work: () => Promise<unknown>): Promise<void> {
	await Promise.all(
		line.map((lock) =>
			repeat(WAITS, async () => {
				const lease = await lock.acquire(place);
				await work();
				expect(await lease?.release()).toBe(true);
			}),
		),
	);
}

export async function repeat(times: number, task: () => Promise<unknown>): Promise<void> {
	for (let i = 0; i < times; i++) await task();
}
