import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { askEmbedded } from '../../ops/channel/reach-process.ts';
import { withStore } from '../../ops/moving/with-store.ts';
import { OperatorLog } from '../../services/accounts/operators/operator-log.ts';
import type { AccountReport, KeyReport, LogEntry, PlanReport } from '../../shared/contract/account-reports.ts';
import { isWellFormedApiKey } from '../../shared/secrets/api-key.ts';
import { Operator } from '../support/operator.ts';
import { type Product, startProduct } from '../support/product.ts';
import { opsWith } from './ops.ts';

describe('D5: who gave a command', () => {
	let product: Product;
	beforeAll(async () => {
		product = await startProduct({ form: 'embedded', keys: { Starter: 1 } });
	});
	afterAll(() => product?.stop());

	const run = async (variables: Record<string, string>, ...words: string[]) => {
		const ended = await opsWith({ ...product.operatorEnv, ...variables }, product.directory, words);
		expect(ended).toMatchObject({ code: 0, stderr: '' });
		return ended.stdout;
	};
	const logged = async () => {
		const entries: LogEntry[] = JSON.parse(await run({}, 'log', '--json'));
		return entries.map(({ event, subject, actor, by }) => [event, subject, actor, by]);
	};

	test('D5: When OPERATOR names somebody, then the operator log names him, else the system’s user and host', async () => {
		await run({ OPERATOR: 'ada' }, 'packages', 'set', 'Growth', '--services', '7');
		await run({}, 'packages', 'set', 'Growth', '--services', '8');
		const entries = await logged();
		expect(entries.slice(-2)).toEqual([
			['package.changed', 'Growth', 'operator', 'ada'],
			['package.changed', 'Growth', 'operator', `${userInfo().username}@${hostname()}`],
		]);
		expect(entries[0]).toEqual(['account.created', expect.any(String), 'bootstrap', null]);
		expect(await run({}, 'log')).toMatch(/package\.changed +all +Growth +ada +services: /);
	});

	test('D5: When stores are repaired, backed up, exported and opened again and secrets rewrapped, then each is in the log', async () => {
		const before = (await logged()).length;
		const as = { OPERATOR: 'grace' };
		await run(as, 'audit');
		await run(as, 'audit', '--repair');
		await run(as, 'secrets', 'rewrap');
		await run(as, 'backup', 'copy');
		await run(as, 'export', 'all.gz', '--close');
		await run(as, 'export', 'again.gz', '--close');
		await run(as, 'reopen');
		const target = { ...as, DATA_DIR: 'target' };
		await run(target, 'import', 'all.gz');
		const told = [
			['bookings.repaired', 'all', 'operator', 'grace'],
			['secrets.rewrapped', 'webhooks', 'operator', 'grace'],
			['store.backed_up', join(product.directory, 'copy'), 'operator', 'grace'],
			['store.exported', join(product.directory, 'all.gz'), 'operator', 'grace'],
		];
		expect((await logged()).slice(before)).toEqual([...told, ['store.reopened', 'all', 'operator', 'grace']]);
		await run(target, 'reopen');
		const store = { form: 'embedded', dataDir: join(product.directory, 'target') } as const;
		const rows = await withStore(store, ({ connection }) => new OperatorLog(connection).read({}, 100));
		expect(rows.slice(before).map(({ event, subject, actor, by }) => [event, subject, actor, by])).toEqual([
			...told,
			['store.imported', join(product.directory, 'all.gz'), 'operator', 'grace'],
			['store.reopened', 'all', 'operator', 'grace'],
		]);
	});
});

describe('commands for accounts, keys, plans and the log', () => {
	let product: Product;
	let operator: Operator;
	let account: string;
	let key: string;

	beforeAll(async () => {
		product = await startProduct({ form: 'embedded', keys: { Starter: 1 } });
		operator = new Operator(product.operatorEnv, product.directory, product.urls);
		account = (await operator.createAccount('Starter')).id;
		key = (await operator.createKey(account)).key.id;
	});
	afterAll(() => product?.stop());

	/** As `ops` asks the process, without a process of its own. */
	const asked = (line: string) => askEmbedded(product.operatorEnv.DATA_DIR!, line.split(' '));
	const everything = () => Promise.all(['accounts list', `keys list ${account}`, 'packages list', 'log'].map(asked));

	const create = 'accounts create --name <name> --email <address> --package <name>';
	const none = 'There is no package "Gold"; the packages are Starter, Developer, Growth, Unlimited.';
	const faults: [string, string][] = [
		['accounts create --name Ada --package Starter', `accounts create needs its --email: ${create}.`],
		['accounts create --name Ada --email ada --package Starter', emailFault('ada')],
		['accounts create --name Ada --email a@b --package Gold', none],
		['accounts create --name \u001b[31m --email a@b --package Starter', nameFault('\u001b[31m')],
		['accounts set ACCOUNT', 'accounts set needs --package, --subscription or --retention.'],
		['accounts set ACCOUNT --package Gold', none],
		[
			'accounts set ACCOUNT --subscription paid',
			'--subscription must be one of trialing, active, past_due, canceled, not "paid".',
		],
		['accounts suspend acc_nobody', 'There is no account acc_nobody.'],
		['accounts show 7', 'account must be an account’s id such as acc_demo, not "7".'],
		['accounts', 'accounts must be followed by list or show or create or set or suspend or resume.'],
		['keys list acc_nobody', 'There is no account acc_nobody.'],
		['keys create acc_nobody --name x', 'There is no account acc_nobody.'],
		['keys create ACCOUNT --name x --scopes admin', '--scopes must be one of read, write, not "admin".'],
		['keys create ACCOUNT --name x --scopes ,', '--scopes must be read, write, or both.'],
		[
			'keys create ACCOUNT --name x --expires soon',
			'--expires must be a duration such as 90d, 24h or 30m, not "soon".',
		],
		['keys create ACCOUNT --name x --expires 0d', '--expires must be a minute or more.'],
		['keys revoke key_nobody', 'There is no key key_nobody.'],
		['keys revoke slw_secret', 'key must be a key’s id such as key_demo; `keys list` shows them.'],
		['keys roll key_nobody', 'There is no key key_nobody.'],
		['packages set Starter', 'packages set needs an option that says what to change.'],
		['packages set Starter --rate 0', '--rate must be a whole number from 1, or none, not "0".'],
		['packages set Starter --burst none', 'Package Starter needs a rate and a burst, or none of both.'],
		['packages set Starter --overages maybe', '--overages must be one of yes, no, not "maybe".'],
		['log --since yesterday', '--since must be such as 24h, 2026-11-21 or 2026-11-21T09:30:00Z, not "yesterday".'],
		['log --since 2026-02-30', '--since must be such as 24h, 2026-11-21 or 2026-11-21T09:30:00Z, not "2026-02-30".'],
	];

	test('When the input is wrong, then one sentence says what, the code is 2, and nothing has changed', async () => {
		const before = await everything();
		for (const [line, error] of faults) {
			expect([line, await asked(line.replace('ACCOUNT', account))]).toEqual([line, { exitCode: 2, error }]);
		}
		const { code, stdout, stderr } = await operator.run('accounts', 'set', account, '--package', 'Gold');
		expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: `${none}\n` });
		expect(await everything()).toEqual(before);
	});

	test('A2: When a key is made or rolled, then it is printed once, and no command and no log has it again', async () => {
		const { stdout } = await operator.run('keys', 'create', account, '--name', 'till', '--expires', '90d');
		const [apiKey] = /slw_[0-9A-Za-z]{36}/.exec(stdout)!;
		expect(isWellFormedApiKey(apiKey)).toBe(true);
		expect(stdout).toContain('is shown only this once');
		expect(stdout.split(apiKey)).toHaveLength(2);
		const rolled = await operator.run('keys', 'roll', key);
		const [successor] = /slw_[0-9A-Za-z]{36}/.exec(rolled.stdout)!;
		const shown = JSON.stringify([await everything(), product.processes[0]!.tail()]);
		for (const secret of [apiKey, successor]) expect(shown).not.toContain(secret.slice(4, 34));
	});

	test('When lists are asked for, then they are tables for a person and JSON for a program', async () => {
		const packages = await operator.ask<PlanReport[]>('packages', 'list');
		expect(packages.map(({ name, rate, burst }) => [name, rate, burst])).toEqual([
			['Starter', 5, 10],
			['Developer', 10, 20],
			['Growth', 20, 50],
			['Unlimited', null, null],
		]);
		const { stdout: table } = await operator.run('packages', 'list');
		expect(table).toMatch(/^package +rate\/s +burst/);
		expect(table).toMatch(/\nUnlimited +none +none +none +none +none +yes /);
		const accounts = await operator.ask<AccountReport[]>('accounts', 'list');
		expect(accounts.map(({ id }) => id)).toContain(account);
		expect((await operator.run('accounts', 'list')).stdout).toContain(`\n${account}  Ada `);
		const keys = await operator.ask<KeyReport[]>('keys', 'list', account);
		expect((await operator.run('keys', 'list', account)).stdout.trim().split('\n')).toHaveLength(2 + keys.length);
	});

	test('When a plan is changed and an account moved, then show and log say so, the log from a moment on', async () => {
		await operator.ask('packages', 'set', 'Growth', '--rate', 'none', '--burst', 'none', '--bookings', '7');
		await operator.ask('accounts', 'set', account, '--package', 'Growth');
		const { stdout } = await operator.run('accounts', 'show', account);
		expect(stdout).toContain('package Growth, subscription active');
		expect(stdout).toMatch(/\nGrowth +none +none +none +7 +none +yes /);
		const entries = await operator.ask<LogEntry[]>('log', '--since', '1h');
		expect(entries.slice(-2).map(({ event, subject, account_id }) => [event, subject, account_id])).toEqual([
			['package.changed', 'Growth', null],
			['account.changed', account, account],
		]);
		const text = (await operator.run('log', '--account', account)).stdout;
		expect(text).toContain('package: Starter → Growth');
		expect(text).not.toContain('package.changed');
		const { at } = entries.at(-1)!;
		expect(await operator.ask<LogEntry[]>('log', '--since', at)).toHaveLength(1);
	});
});

function emailFault(text: string): string {
	return `--email must be an e-mail address such as ada@example.com, not "${text}".`;
}

function nameFault(text: string): string {
	return `--name must be a text of 1 to 72 visible characters, not "${text}".`;
}
