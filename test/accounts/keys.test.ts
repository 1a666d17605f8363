import { expect, test } from '@jest/globals';
import { accepted } from '../../ops/line/command.ts';
import { rollKey } from '../../services/accounts/operators/key-actions.ts';
import { describeForms } from './accounts-world.ts';
import { DAY, MINUTE, newHash, startService } from './operator-world.ts';

describeForms('keys of operators', (openWorld) => {
	test('When a key has an expiry, then it is listed as active until then, and as expired from then on', async () => {
		const { world, accounts } = await startService(openWorld);
		const { account_id } = await world.provider('Starter');
		const key = { hash: newHash(), name: 'night', scopes: ['read' as const], expires_in: DAY };
		const made = accepted(await accounts.call('accounts.createKey', { account_id, ...key }));
		expect(made).toMatchObject({ name: 'night', scopes: ['read'], state: 'active', last_used_at: null });
		expect(made.expires_at).toBe('2026-11-22T09:30:00.000Z');
		const states = async () => {
			const { rows } = accepted(await accounts.call('accounts.listKeys', { account_id }));
			return rows.map(({ name, state }) => `${name} ${state}`).sort();
		};
		expect(await states()).toEqual(['night active', 'test active']);
		world.clock.advance(DAY);
		expect(await states()).toEqual(['night expired', 'test active']);
		expect(await accounts.call('accounts.verifyKey', { hash: key.hash })).toBeNull();
	});

	test('When a key is rolled, then the new one has its life, and the old one ends with the overlap', async () => {
		const { world, accounts } = await startService(openWorld);
		const { account_id, hash: old, key_id } = await world.provider('Starter', 90 * DAY);
		world.clock.advance(80 * DAY);
		const hash = newHash();
		const rolled = accepted(await accounts.call('accounts.rollKey', { key_id, hash, overlap: DAY }));
		expect(rolled.old).toMatchObject({ id: key_id, state: 'active', replaced_by: rolled.new.id });
		expect(Date.parse(rolled.old.expires_at!)).toBe(world.clock.now() + DAY);
		expect(Date.parse(rolled.new.expires_at!)).toBe(world.clock.now() + 90 * DAY);
		expect(rolled.new).toMatchObject({ account_id, name: 'test', scopes: ['read', 'write'], replaced_by: null });
		for (const each of [old, hash]) expect(await accounts.call('accounts.verifyKey', { hash: each })).not.toBeNull();
		world.clock.advance(DAY);
		expect(await accounts.call('accounts.verifyKey', { hash: old })).toBeNull();
		expect(await accounts.call('accounts.verifyKey', { hash })).not.toBeNull();
	});

	test('When the overlap is longer than a key has to live, then it does not live longer', async () => {
		const { world, accounts } = await startService(openWorld);
		const { key_id } = await world.provider('Starter', DAY);
		const asked = { key_id, hash: newHash(), overlap: 30 * DAY };
		const { old } = accepted(await accounts.call('accounts.rollKey', asked));
		expect(Date.parse(old.expires_at!)).toBe(world.clock.now() + DAY);
	});

	test('When a key is rolled twice, revoked or expired, then it cannot be rolled, and a sentence says why', async () => {
		const { world, accounts } = await startService(openWorld);
		const roll = async (key_id: string) => accounts.call('accounts.rollKey', { key_id, hash: newHash(), overlap: DAY });
		const { key_id } = await world.provider('Starter');
		const successor = accepted(await roll(key_id)).new.id;
		expect(await roll(key_id)).toEqual({ refused: `Key ${key_id} cannot be rolled: it was rolled to ${successor}.` });
		await accounts.call('accounts.revokeKey', { key_id: successor });
		expect(await roll(successor)).toEqual({ refused: `Key ${successor} cannot be rolled: it is revoked.` });
		const expired = (await world.provider('Starter', MINUTE)).key_id;
		world.clock.advance(MINUTE);
		expect(await roll(expired)).toEqual({ refused: `Key ${expired} cannot be rolled: it has expired.` });
	});

	test('When a key is rolled by several at once, then one new key works, and the others never do', async () => {
		const { world, accounts } = await startService(openWorld);
		const { account_id, key_id } = await world.provider('Starter');
		const hashes = Array.from({ length: 5 }, newHash);
		const answers = await Promise.all(
			hashes.map((hash) => rollKey(world.records, world.clock, { key_id, hash, overlap: 0 })),
		);
		expect(answers.filter((answer) => 'new' in answer)).toHaveLength(1);
		const verified = await Promise.all(hashes.map((hash) => accounts.call('accounts.verifyKey', { hash })));
		expect(verified.filter((principal) => principal !== null)).toHaveLength(1);
		const { rows } = accepted(await accounts.call('accounts.listKeys', { account_id }));
		expect(rows.filter(({ state }) => state === 'active')).toHaveLength(1);
	});
});
