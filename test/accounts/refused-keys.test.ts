import { afterEach, expect, jest, test } from '@jest/globals';
import { revokeKey } from '../../services/accounts/revoke-key.ts';
import { createApiKey, hashApiKey } from '../../shared/api-key.ts';
import { type AccountsWorld, describeForms } from './accounts-world.ts';

/** Counts, from now on, the reads of every collection, whichever connection they came over. */
function countReads(world: AccountsWorld): () => number {
	const prototype = Object.getPrototypeOf(world.store.connection.collection('api_keys'));
	const reads = (['findOne', 'find', 'aggregate'] as const).map((name) => jest.spyOn(prototype, name));
	return () => reads.reduce((sum, { mock }) => sum + mock.calls.length, 0);
}

afterEach(() => {
	jest.restoreAllMocks();
});

describeForms('refused keys', (openWorld) => {
	test('A1: When a key is unknown, expired or revoked, then it costs one read each: their times tell nobody which', async () => {
		const world = await openWorld();
		const expired = await world.provider('Starter', 1_000);
		const revoked = await world.provider('Starter');
		const good = await world.provider('Starter');
		await revokeKey(world.rows, world.clock, { key_id: revoked.key_id });
		world.clock.advance(1_000);
		const accounts = await world.start();
		const costOf = async (hash: string) => {
			const reads = countReads(world);
			const principal = await accounts.call('accounts.verifyKey', { hash });
			const count = reads();
			jest.restoreAllMocks();
			return [principal !== null, count];
		};
		for (const hash of [hashApiKey(createApiKey()), expired.hash, revoked.hash]) {
			expect(await costOf(hash)).toEqual([false, 1]);
		}
		const [isKnown, reads] = await costOf(good.hash);
		expect(isKnown).toBe(true);
		expect(reads).toBeGreaterThan(1); // so reads are seen
	});
});
