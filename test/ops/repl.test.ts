import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectError } from '../support/expectations.ts';
import { Client } from '../support/http-client.ts';
import { book, newCustomer, slotOn } from '../support/scheduling.ts';
import { Terminal, whyNoTerminal } from '../support/terminal.ts';
import { until } from '../support/until.ts';

const MAIN = resolve(import.meta.dirname, '../../main.js');
const PROMPT = /\nslotwise \$ $/;

const why = whyNoTerminal();

(why === undefined ? describe : describe.skip)(`the REPL on a terminal${why ? ` (skipped: ${why})` : ''}`, () => {
	const directory = mkdtempSync(join(tmpdir(), 'slotwise-repl-'));
	let terminal: Terminal;
	let url: string;

	beforeAll(open, 90_000);
	afterAll(async () => {
		await terminal?.stop();
		rmSync(directory, { recursive: true, force: true });
	});

	async function open(): Promise<void> {
		// Its history goes to HOME.
		const env = { HOME: directory, DATA_DIR: directory, PORT: '0', ADMIN_PORT: 'off', LOG_LEVEL: 'error' };
		terminal = new Terminal(`"${process.execPath}" "${MAIN}" --repl`, env, directory);
		const greeting = await terminal.shows(PROMPT);
		url = /API (http:\S+)\/v1/.exec(greeting)![1]!;
	}

	const enter = (line: string) => terminal.type(`${line}\r`, PROMPT);

	test('When an operator onboards a provider, then it can book; when the key is revoked, it cannot, and the log tells', async () => {
		const created = await enter('accounts create --name "Ada\'s Piano" --email ada@example.com --package Starter');
		expect(created).toContain("Ada's Piano, ada@example.com");
		const account = /Account (acc_\w+):/.exec(created)![1]!;

		const made = await enter(`keys create ${account} --name till`);
		const key = /key_\w+/.exec(made)![0];
		const client = new Client([url], /slw_[0-9A-Za-z]{36}/.exec(made)![0]);
		const place = await slotOn(client, { max_bookings: 3 });
		const { id } = await book(client, place, newCustomer());

		const shown = await enter(`slots show ${place.slot.id} ${place.date}`);
		expect(shown).toContain('maximum 3, taken 1, free 2');
		expect(shown).toMatch(new RegExp(`\\n *${id} .*pending`));

		expect(await enter(`keys revoke ${key}`)).toMatch(new RegExp(`${key} .* revoked`));
		expectError(await client.get('/v1/services'), 401, 'invalid API key'); // at once: one process
		const log = await enter(`log --account ${account}`);
		for (const event of ['account.created', 'key.created', 'key.revoked']) expect(log).toContain(` ${event} `);
	});

	test('When Moleculer has a command of that word, then its own still works, and `help` lists both', async () => {
		expect(await enter('events')).toContain('accounts.changed');
		expect(await enter('actions --filter accounts.*')).toContain('accounts.verifyKey');
		const help = await enter('help');
		expect(help).toMatch(/List of actions[\s\S]*\nCommands:\n[\s\S]*keys roll <key> \[--overlap <duration>\]/);
		expect(await enter('help keys roll')).toContain('Such as 2h, or 0m; 24h without it');
	});

	test('When a line is wrong, then one sentence says so, and the REPL goes on', async () => {
		expect(await enter('keys list')).toContain('\nkeys list needs its <account>: keys list <account>.\n');
		expect(await enter('accounts create --name "Ada')).toContain('\nA quote is not closed.\n');
		expect(await enter('accounts show acc_nobody')).toContain('\nThere is no account acc_nobody.\n');
		expect(await enter('packages list')).toContain('\nStarter ');
	});

	test('When Tab is pressed, then a command of ours is completed', async () => {
		for (const [keys, shown] of [
			['pack', /k$/],
			['\t', /ages $/],
			['l', /l$/],
			['\t', /ist$/],
		] as const) {
			await terminal.type(keys, shown); // one by one: a Tab within pasted text is a character
		}
		expect(await terminal.type('\r', PROMPT)).toContain('\nUnlimited ');
	});

	test('When Ctrl+D is pressed, then the process ends as by SIGTERM', async () => {
		await terminal.type('\u0004', /$/);
		expect(await terminal.exited).toBe(0);
	});

	test('X11: When `exit` is entered, then a request under way is answered, the store closed, and the code 0', async () => {
		await terminal.exited;
		await open();
		const made = await enter('keys create acc_demo --name till');
		const client = new Client([url], /slw_[0-9A-Za-z]{36}/.exec(made)![0]);
		const poll = client.get('/v1/events?wait=30');
		await until(async () => (await enter('status --json')).includes('"ready":true'));
		await terminal.type('exit\r', /$/);
		expect((await poll).status).toBe(200);
		expect(await terminal.exited).toBe(0);
		const left = readdirSync(directory).filter((name) => /ops\.sock|-wal/.test(name));
		expect(left).toEqual([]);
	});
});
