import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { askEmbedded } from '../../ops/channel/reach-process.ts';
import { commands } from '../../ops/commands.ts';
import { usage } from '../../ops/line/help.ts';
import { dateOn } from '../support/calendar.ts';
import { Client } from '../support/http-client.ts';
import { type Product, startProduct } from '../support/product.ts';
import {
	book,
	createService,
	newCustomer,
	overrideDates,
	slotInput,
	slotOn,
	slotsOf,
	tryToBook,
} from '../support/scheduling.ts';
import { until } from '../support/until.ts';
import { auditOf, ops, opsHere } from './ops.ts';
import { expectUnknownRefused } from './unknown-ids.ts';

describe('without a process', () => {
	const directory = mkdtempSync(join(tmpdir(), 'slotwise-ops-'));
	afterAll(() => rmSync(directory, { recursive: true }));

	const none = `No process is running on DATA_DIR ${directory}; start one with \`npm start\`.\n`;

	test('When no process runs, then a command says so in one sentence', async () => {
		expect(await ops(directory, 'audit')).toEqual({ code: 1, stdout: '', stderr: none });
	});

	test('When a dead process left something where its socket was, then a command says that none runs', async () => {
		writeFileSync(join(directory, 'ops.sock'), '');
		expect(await ops(directory, 'status')).toEqual({ code: 1, stdout: '', stderr: none });
	});

	test.each([
		['', 'help', 'Commands:'],
		['all of them, as JSON', '--json', 'Commands:'],
		['a command', 'audit --help', 'audit [<service>] [--repair]'],
		['the first word of some', 'help slots', 'slots show <slot> <date>'],
	])('When help of %s is asked for, then it is there without a process', async (_, line, text) => {
		const { code, stdout } = await opsHere({ DATA_DIR: directory }, ...line.split(' '));
		expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(text) });
	});

	test.each([
		['nope', `There is no command "nope"; the commands are ${commands.map(({ name }) => name).join(', ')}.`],
		['--bogus', 'There is no option --bogus without a command; `help` lists the commands.'],
		['-x', 'There is no option -x without a command; `help` lists the commands.'],
		['--json --limit=5', 'There is no option --limit without a command; `help` lists the commands.'],
		['--bogus audit', 'audit has no option --bogus: audit [<service>] [--repair].'],
		['slots', 'slots must be followed by show.'],
		['slots show 7', 'slots show needs its <date>: slots show <slot> <date>.'],
		['slots show x 2026-03-16', 'slot must be an id such as 7, not "x".'],
		['slots show 7 2026-02-30', 'date must be a date such as 2026-03-16, not "2026-02-30".'],
		['audit 9007199254740992', 'service must be an id such as 7, not "9007199254740992".'],
		['audit 7 8', 'audit does not take "8": audit [<service>] [--repair].'],
		['audit --fix', 'audit has no option --fix: audit [<service>] [--repair].'],
		['audit --__proto__', 'audit has no option --__proto__: audit [<service>] [--repair].'],
		['audit --repair --repair', '--repair is given twice.'],
		['audit --repair=no', '--repair takes no value.'],
	])(
		'When the command line is "%s", then one sentence says what is wrong, and the code is 2',
		async (line, sentence) => {
			expect(await opsHere({ DATA_DIR: directory }, ...line.split(' '))).toEqual({
				code: 2,
				stdout: '',
				stderr: `${sentence}\n`,
			});
		},
	);
});

describe('with a process', () => {
	let product: Product;
	let dataDir: string;
	let client: Client;

	beforeAll(async () => {
		product = await startProduct({ form: 'embedded', keys: { Unlimited: 1 } });
		dataDir = join(product.directory, 'data');
		client = new Client(product.urls, product.keys.Unlimited[0]);
	});
	afterAll(() => product?.stop());

	test('When a slot is booked, then `slots show` tells its places before and after, and no customer', async () => {
		const place = await slotOn(client, { max_bookings: 2 });
		const words = ['slots', 'show', String(place.slot.id), place.date];
		const shown = async () => JSON.parse((await ops(dataDir, ...words, '--json')).stdout);
		const free = { holder: null, waiting: 0, ttl: 0 };
		expect(await shown()).toMatchObject({ max: 2, taken: [], free: 2, waiting: 0, lock: free });

		const { id } = await book(client, place, newCustomer());
		const after = await shown();
		expect(after).toMatchObject({ max: 2, free: 1, service_id: place.service.id });
		expect(after.taken).toEqual([{ booking_id: id, seat: expect.any(Number), status: 'pending' }]);
		const { stdout } = await ops(dataDir, ...words);
		expect(stdout).toContain('maximum 2, taken 1, free 1\nlock: free, 0 in its queue\n');
		expect(stdout).not.toMatch(/@|Customer/);
	});

	test('S3: When an override holds on the date, then `slots show` and `audit` go by its maximum, and the rules are told', async () => {
		const rules = { min_notice_minutes: 90, max_advance_days: null };
		const service = await createService(client, { rules, time_slots: [slotInput({ max_bookings: 2 })] });
		const [slot] = await slotsOf(client, service.id);
		const place = { slot: slot!, date: dateOn(1) };
		const query = { ignore_rules: true };
		for (let number = 0; number < 2; number++) (await tryToBook(client, place, {}, { query })).mustBe(201);
		const { id } = await overrideDates(client, service.id, { date_from: place.date, date_to: place.date });
		const words = ['slots', 'show', String(place.slot.id), place.date];
		const shown = JSON.parse((await ops(dataDir, ...words, '--json')).stdout);
		expect(shown).toMatchObject({ max: 0, override_id: id, free: 0, rules });
		const { stdout } = await ops(dataDir, ...words);
		expect(stdout).toContain(`maximum 0 by date override ${id}, taken 2, free 0`);
		expect(stdout).toContain('booked 90 minutes before the start at the latest');
		const { code, findings } = await auditOf(dataDir, String(service.id));
		expect({ code, findings }).toEqual({ code: 0, findings: [] });
	});

	test('B1: When a slot changes after a booking was made, then `bookings show` tells what was promised, the slot as it is, and the events', async () => {
		const { data: accounts } = (await askEmbedded(dataDir, ['accounts', 'list'])) as { data: { id: string }[] };
		const place = await slotOn(client, { max_bookings: 3 });
		const booking = await book(client, place, { ...newCustomer(), message: 'Secret wish' });
		const account = booking.user_id;
		const words = ['bookings', 'show', account, String(booking.id)];
		const { starts_at, ends_at, timezone, time_slot, time_slot_id, service_id, date } = booking;
		const promised = { starts_at, ends_at, timezone, time_slot };
		const shown = async () => JSON.parse((await ops(dataDir, ...words, '--json')).stdout);
		expect(await until(async () => ((await shown()).events.length === 1 ? await shown() : undefined))).toEqual({
			...{ booking_id: booking.id, account_id: account, service_id, time_slot_id, date, status: 'pending' },
			...{ seat: expect.any(Number), expires_at: null, version: 1, promised, in_step: true },
			slot_now: { time_slot, timezone, starts_at, ends_at, max: 3, override_id: null },
			...{ created_at: booking.created_at, updated_at: booking.updated_at, waiting_events: 0 },
			events: [
				{
					...{ sequence: expect.any(Number), id: `evt_${booking.id}_1`, type: 'booking.created' },
					...{ timestamp: booking.created_at, booking_id: booking.id },
				},
			],
		});

		const time_slots = [{ id: time_slot_id, start_time: '2026-01-05 09:15:00' }];
		(await client.patch('/v1/time-slots', { time_slots })).mustBe(200);
		const { id: override } = await overrideDates(client, service_id, { date_from: date, date_to: date });
		(await client.patch(`/v1/bookings/${booking.id}`, { status: 'confirmed' })).mustBe(200);
		await until(async () => (await shown()).events.length === 2);
		const { code, stdout } = await ops(dataDir, ...words);
		expect({ code, stdout }).toEqual({
			code: 0,
			stdout: expect.stringContaining(`promised ${starts_at} to ${ends_at}`),
		});
		expect(stdout).toContain(`${account}: confirmed, seat `);
		expect(stdout).toMatch(
			new RegExp(`now its time slot is ${date}T09:15:00.* maximum 0 by date override ${override}\n`),
		);
		expect(stdout).toMatch(/booking\.created .*\n.*booking\.confirmed /);
		expect(stdout).not.toMatch(/@|Customer|Secret/);
		expect(await shown()).toMatchObject({ promised, in_step: false, slot_now: { max: 0, override_id: override } });

		(await client.patch('/v1/time-slots', { time_slots: [{ id: time_slot_id, day_of_week: 4 }] })).mustBe(200);
		expect(await shown()).toMatchObject({ in_step: false, slot_now: { starts_at: null, ends_at: null } });
		const others = accounts.find(({ id }) => id !== account)?.id;
		(await client.delete(`/v1/bookings/${booking.id}`)).mustBe(200);
		for (const owner of [account, others].filter((id) => id !== undefined)) {
			const stderr = `There is no booking ${booking.id} of account ${owner}.\n`;
			expect(await ops(dataDir, 'bookings', 'show', owner, String(booking.id))).toEqual({
				code: 2,
				stdout: '',
				stderr,
			});
		}
	});

	test('When an account has services, then `services list` tells their slots and rules by id, all of them', async () => {
		const created = await askEmbedded(
			dataDir,
			'accounts create --name B --email b@b.de --package Unlimited'.split(' '),
		);
		const { id } = (created as { data: { id: string } }).data;
		const { data: key } = (await askEmbedded(dataDir, `keys create ${id} --name x`.split(' '))) as {
			data: { api_key: string };
		};
		const own = client.withKey(key.api_key);
		const rules = { min_notice_minutes: 90, max_advance_days: 1 };
		const one = await createService(own, { name: 'Piano', rules, time_slots: [slotInput(), slotInput()] });
		const two = await createService(own, { name: 'Chess', timezone: 'UTC' });
		const gone = await createService(own, { time_slots: [slotInput()] });
		(await own.delete(`/v1/services/${gone.id}`)).mustBe(200);
		const words = ['services', 'list', id];
		expect(JSON.parse((await ops(dataDir, ...words, '--json')).stdout)).toEqual([
			{ id: one.id, name: 'Piano', timezone: 'Europe/Berlin', slots: 2, rules },
			{
				id: two.id,
				name: 'Chess',
				timezone: 'UTC',
				slots: 0,
				rules: { min_notice_minutes: null, max_advance_days: null },
			},
		]);
		const { stdout } = await ops(dataDir, ...words);
		expect(stdout).toMatch(
			/Piano +Europe\/Berlin +2 +90 minutes before the start at the latest, 1 day ahead at the earliest\n/,
		);
		expect(stdout).toMatch(/Chess +UTC +0 +none\n/);

		for (let number = 0; number < 210; number++) await createService(own);
		const { data } = (await askEmbedded(dataDir, words)) as { data: { id: number }[] };
		const ids = data.map((service) => service.id);
		expect(ids).toHaveLength(212);
		expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
	});

	test('X11: When a command names what is not there, then one sentence says so, and none is an empty success', async () => {
		await expectUnknownRefused((words) => askEmbedded(dataDir, words));
		const ended = await ops(dataDir, 'events', 'tail', 'acc_nobody');
		expect(ended).toEqual({ code: 2, stdout: '', stderr: 'There is no account acc_nobody.\n' });
	});

	test('W7: When events behind one that is not there are asked for, then one sentence says where the feed ends', async () => {
		const created = await askEmbedded(dataDir, 'accounts create --name A --email a@b.de --package Starter'.split(' '));
		const { id } = (created as { data: { id: string } }).data;
		for (const follow of [[], ['--follow']]) {
			expect(await ops(dataDir, 'events', 'tail', id, '--after', '7', ...follow)).toEqual({
				code: 2,
				stdout: '',
				stderr: `There is no event 7 of account ${id}: its feed ends with 0.\n`,
			});
		}
		expect(await ops(dataDir, 'events', 'tail', id, '--after', '0')).toMatchObject({ code: 0, stdout: 'no events\n' });
	});

	test('X11: When what is named is there and has nothing, then the answer is an empty list', async () => {
		const created = await askEmbedded(dataDir, 'accounts create --name A --email a@b.de --package Starter'.split(' '));
		const { id } = (created as { data: { id: string } }).data;
		for (const list of ['events tail', 'webhooks list', 'keys list', 'services list']) {
			const answer = await askEmbedded(dataDir, [...list.split(' '), id]);
			expect(answer).toMatchObject({ exitCode: 0, data: [] });
		}
		const { service } = await slotOn(client, { max_bookings: 1 });
		expect(await askEmbedded(dataDir, ['audit', String(service.id)])).toMatchObject({ exitCode: 0 });
	});

	test('When `status` is asked for, then it names the process, its services and version, store and lags', async () => {
		const { code, stdout } = await ops(dataDir, 'status', '--json');
		const { processes, limits, queues, outbox } = JSON.parse(stdout);
		expect(code).toBe(0);
		expect(processes).toHaveLength(1);
		expect(processes[0].services.sort()).toEqual([
			'accounts',
			'booking',
			'catalog',
			'customer',
			'gateway',
			'notifications',
		]);
		expect(processes[0].answer).toMatchObject({
			pid: product.processes[0]!.pid,
			version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
			ready: true,
			checks: { store: 'ok' },
		});
		expect(limits[0].answer).toEqual({
			rate: { taken: expect.any(Number), refused: 0, alone: 0, degraded: false },
			failed_authentication: { refused: 0, networks: 0 },
		});
		expect(queues[0].answer).toMatchObject({ waiting: 0, lock: { degraded: false } });
		expect(outbox).toEqual({ waiting: expect.any(Number), oldest: expect.any(Number) });
	});

	test('When the process runs, then only its owner may open its socket', () => {
		const socket = statSync(join(dataDir, 'ops.sock'));
		expect({ socket: socket.isSocket(), mode: socket.mode & 0o777 }).toEqual({ socket: true, mode: 0o600 });
	});

	test('When commands are killed before they have read their answers, then the process goes on', async () => {
		const killed = Array.from({ length: 5 }, () => {
			const socket = connect(join(dataDir, 'ops.sock')).pause(); // before it connects: nothing is ever read
			socket.write('{"argv":["help"]}\n');
			return socket;
		});
		expect(await ops(dataDir, 'accounts', 'list')).toMatchObject({ code: 0, stderr: '' }); // theirs are there by then
		for (const socket of killed) socket.destroy();
		expect(await ops(dataDir, 'accounts', 'list')).toMatchObject({ code: 0, stderr: '' });
		expect(product.processes[0]!.ended).toBe(false);
	});

	test('When the process stands still, then a command says so and ends with 1, and is not carried out later', async () => {
		const [process] = product.processes;
		const before = await ops(dataDir, 'accounts', 'list');
		process!.kill('SIGSTOP');
		try {
			const asked = ops(
				dataDir,
				...'accounts create --name Late --email late@example.com --package Developer'.split(' '),
			);
			await new Promise((resolve) => setTimeout(resolve, 5_000));
			const behind = ops(dataDir, 'status');
			expect(await asked).toMatchObject({ code: 1, stdout: '' });
			expect((await asked).stderr).toBe('The process has given no sign of life for 10 s: it stands still.\n');
			process!.kill('SIGCONT');
			expect(await behind).toMatchObject({ code: 1, stdout: '' });
			expect((await behind).stderr).toMatch(/^The process stood still for \d+ s, and has not carried this out\.\n$/);
		} finally {
			process!.kill('SIGCONT');
		}
		await new Promise((resolve) => setTimeout(resolve, 2_000)); // longer than what is read is taken for old
		expect(await ops(dataDir, 'accounts', 'list')).toEqual(before);
	});

	test('When the process was killed, then the next one takes over its socket, and a stopped one takes it away', async () => {
		const [process] = product.processes;
		process!.kill('SIGKILL');
		await process!.restart();
		await process!.ready();
		expect(await ops(dataDir, 'audit')).toMatchObject({ code: 0, stderr: '' });
		await process!.stop();
		expect(() => statSync(join(dataDir, 'ops.sock'))).toThrow('ENOENT');
	});
});

test('When a command is in the table, then docs/operations.md has it, and no other', () => {
	const manual = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
	const [section] = manual.split('## Commands\n')[1]!.split('\n#');
	const rows = section!.split('\n').filter((line) => line.startsWith('| `'));
	const documented = rows.map((row) => row.split('|').map((cell) => cell.trim()));
	const table = commands.map((command) => [`\`${usage(command)}\``, command.summary]);
	expect(documented.map(([, name, does]) => [name, does])).toEqual(table);
});

test('When two commands are in the table, then neither is the beginning of the other, and each has its help', () => {
	const names = commands.map(({ name }) => name);
	expect(new Set(names).size).toBe(names.length);
	for (const name of names) expect(names.filter((other) => other.startsWith(`${name} `))).toEqual([]);
	for (const command of commands) expect([command.summary, usage(command)]).not.toContain('');
});
