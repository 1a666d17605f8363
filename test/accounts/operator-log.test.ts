import { expect, test } from '@jest/globals';
import { logEntry } from '../../services/accounts/operators/operator-log.ts';
import { describeForms } from './accounts-world.ts';
import { MINUTE, readLog, startService } from './operator-world.ts';

describeForms('reading the operator log', (openWorld) => {
	test('When many entries are of one moment and there are several pages, then each comes once, in order', async () => {
		const { world, accounts } = await startService(openWorld);
		const { account_id } = await world.provider('Starter');
		const entry = { account_id, event: 'key.refused', subject: 'key_x', actor: 'gateway', details: {} } as const;
		for (const step of [0, MINUTE]) {
			world.clock.advance(step);
			const at = new Date(world.clock.now()).toISOString();
			const numbers = Array.from({ length: 700 }, (_, number) => `${step}:${number}`);
			await world.rows.log.insertMany(
				numbers.map((number) => logEntry({ ...entry, at }, number)),
				{ lean: true },
			);
		}
		const log = await readLog(accounts);
		const ids = log.map(({ id }) => id);
		expect([ids.length, new Set(ids).size]).toEqual([1_404, 1_404]);
		const places = log.map(({ at, id }) => `${at} ${id}`);
		expect(places).toEqual([...places].sort());
		const since = new Date(world.clock.now()).toISOString();
		expect(await readLog(accounts, { since })).toHaveLength(700);
		expect(await readLog(accounts, { account_id })).toHaveLength(1_402);
	});
});

describeForms('scope refusals in the operator log', (openWorld) => {
	test('A3: When several gateways tell of one key and operation in one minute, then one entry is written', async () => {
		const { world, accounts } = await startService(openWorld);
		const { account_id, key_id } = await world.provider('Starter');
		const refusal = { account_id, key_id, operation: 'createService', scope: 'write' as const, count: 3 };
		const tell = () => accounts.call('accounts.recordRefusal', refusal);
		const answers = await Promise.all(Array.from({ length: 8 }, tell));
		expect(answers.filter(({ recorded }) => recorded)).toHaveLength(1);
		expect(await accounts.call('accounts.recordRefusal', { ...refusal, operation: 'deleteService' })).toEqual({
			recorded: true,
		});
		world.clock.advance(MINUTE);
		expect(await tell()).toEqual({ recorded: true });
		const entries = (await readLog(accounts, { account_id })).filter(({ event }) => event === 'key.refused');
		expect(entries.map(({ subject, actor, details }) => [subject, actor, details.operation, details.count])).toEqual([
			[key_id, 'gateway', 'createService', 3],
			[key_id, 'gateway', 'deleteService', 3],
			[key_id, 'gateway', 'createService', 3],
		]);
	});
});
