import { afterEach, expect, jest, test } from '@jest/globals';
import { revokeKey } from '../../services/accounts/operators/key-actions.ts';
import { createApiKey, hashApiKey } from '../../shared/secrets/api-key.ts';
import { type AccountsWorld, describeForms } from './accounts-world.ts';

/** Counts, from now on, the reads of every collection, whichever connection they came over; the embedded `findOne` is a `find`. */
function countReads(world: AccountsWorld): () => number {
	const prototype = Object.getPrototypeOf(world.store.connection.collection('api_keys'));
	const reads = (['findOne', 'find', 'aggregate'] as const).map((name) => jest.spyOn(prototype, name));
	return () => reads.reduce((sum, { mock }) => sum + mock.calls.length, 0);
}

afterEach(() => {
	jest.restoreAllMocks();
});

describeForms('refused keys', (openWorld) => {
	test('A1: When a key is unknown, expired or revoked, then they cost the same reads: their times tell nobody which', async () => {
		const world = await openWorld();
		const expired = await world.provider('Starter', 1_000);
		const revoked = await world.provider('Starter');
		const good = await world.provider('Starter');
		await revokeKey(world.records, world.clock, { key_id: revoked.key_id });
		world.clock.advance(1_000);
		const accounts = await world.start();
		const costOf = async (hash: string) => {
			const reads = countReads(world);
			const principal = await accounts.call('accounts.verifyKey', { hash });
			const count = reads();
			jest.restoreAllMocks();
			return [principal !== null, count];
		};
		const unknown = await costOf(hashApiKey(createApiKey()));
		expect(unknown).toEqual([false, expect.any(Number)]);
		for (const { hash } of [expired, revoked]) expect(await costOf(hash)).toEqual(unknown);
		const [isKnown, reads] = await costOf(good.hash);
		expect(isKnown).toBe(true);
		expect(reads).toBeGreaterThan(unknown[1] as number); // the first read is all that a refusal takes
	});
});
