import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { execute } from '../../ops/channel/execute.ts';
import type { LogEntry } from '../../shared/contract/account-reports.ts';
import { joinAsOperator } from '../cluster/operator-node.ts';
import { freePort } from '../support/free-port.ts';
import { Client } from '../support/http-client.ts';
import { type Product, startProduct } from '../support/product.ts';
import { newCustomer, slotOn, tryToBook } from '../support/scheduling.ts';
import { whyNoCluster } from '../support/servers.ts';
import { Terminal, whyNoTerminal } from '../support/terminal.ts';
import { opsWith } from './ops.ts';
import { expectUnknownRefused } from './unknown-ids.ts';

const OPS = resolve(import.meta.dirname, '../../ops/main.ts');
const NAMESPACE = `ops${randomBytes(4).toString('hex')}`;
const SECRET_KEY = randomBytes(32).toString('base64');

(whyNoCluster() === undefined ? describe : describe.skip)('ops on a cluster', () => {
	let product: Product;
	let client: Client;
	let ops: (...words: string[]) => ReturnType<typeof opsWith>;

	beforeAll(async () => {
		product = await startProduct({
			form: 'cluster',
			keys: { Unlimited: 1 },
			counts: { booking: 2 },
			env: { NAMESPACE },
		});
		client = new Client(product.urls, product.keys.Unlimited[0]);
		const urls = { NATS_URL: product.nats!.url, REDIS_URL: product.redis!.url, MONGO_URL: product.mongoUrl! };
		ops = (...words) => opsWith({ ...urls, NAMESPACE, SECRET_KEY }, product.directory, words);
	});
	afterAll(() => product?.stop());

	test('When a cluster runs, then `status` names every process, and its own node is none of them', async () => {
		const { code, stdout, stderr } = await ops('status', '--json');
		expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
		const { processes, limits, queues, outbox } = JSON.parse(stdout);
		const pids = processes.map(({ answer }: { answer: { pid: number } }) => answer.pid).sort();
		expect(pids).toEqual(product.processes.map(({ pid }) => pid).sort());
		expect(limits).toHaveLength(product.of('gateway').length);
		expect(queues).toHaveLength(2);
		expect(outbox).not.toBeNull();
	});

	test('When the last places of a slot were fought for, then `slots show` and `audit` find them right', async () => {
		const place = await slotOn(client, { max_bookings: 3 });
		const answers = await Promise.all(Array.from({ length: 20 }, () => tryToBook(client, place, newCustomer())));
		const booked = answers.filter(({ status }) => status === 201).map(({ data }) => data.id);
		const shown = await ops('slots', 'show', String(place.slot.id), place.date, '--json');
		expect(shown).toMatchObject({ code: 0, stderr: '' });
		const { taken, ...report } = JSON.parse(shown.stdout);
		expect(report).toMatchObject({ max: 3, free: 0, waiting: 0, lock: { waiting: 0 } });
		expect(taken.map(({ booking_id }: { booking_id: number }) => booking_id).sort()).toEqual(booked.sort());
		expect(await ops('audit')).toEqual({
			code: 0,
			stdout: '3 bookings and 1 place (slot and date) looked at: 0 findings\n',
			stderr: '',
		});
	});

	test('D5: When OPERATOR names somebody, then the operator log of the cluster names him', async () => {
		const words = ['packages', 'set', 'Growth', '--services', '7'];
		const set = await opsWith({ ...product.operatorEnv, OPERATOR: 'ada' }, product.directory, words);
		expect(set).toMatchObject({ code: 0, stderr: '' });
		const log = JSON.parse((await ops('log', '--json')).stdout) as LogEntry[];
		expect(log.at(-1)).toMatchObject({ event: 'package.changed', actor: 'operator', by: 'ada' });
	});

	test('X11: When a command names what is not there, then one sentence says so, and none is an empty success', async () => {
		const node = await joinAsOperator(product.operatorEnv);
		await expectUnknownRefused((words) => execute(node.broker, words));
		await node.stop();
	});

	(whyNoTerminal() === undefined ? test : test.skip)(
		'When the REPL joins, then it has the same commands, and Ctrl+D ends it and nothing else',
		async () => {
			const env = { ...product.operatorEnv, HOME: product.directory };
			const terminal = new Terminal(`"${process.execPath}" "${OPS}" repl`, env, product.directory);
			const prompt = new RegExp(`${NAMESPACE} \\$ $`);
			await terminal.shows(prompt);
			const made = await terminal.type('accounts create --name Ada --email ada@b.de --package Starter\r', prompt);
			const account = /acc_\w+/.exec(made)![0];
			const key = await terminal.type(`keys create ${account} --name till\r`, prompt);
			expect((await client.withKey(/slw_\w{36}/.exec(key)![0]).get('/v1/services')).status).toBe(200);
			expect(await terminal.type('status\r', prompt)).toContain('gateway');
			await terminal.type('\u0004', /$/);
			expect(await terminal.exited).toBe(0);
			expect((await client.get('/v1/services')).status).toBe(200);
			expect(JSON.parse((await ops('log', '--account', account, '--json')).stdout)).toHaveLength(2);
		},
	);

	test('When no process runs what a command needs, or the bus is away, then one sentence says so', async () => {
		for (const one of product.of('booking')) await one.stop();
		expect(await ops('audit')).toEqual({ code: 1, stdout: '', stderr: 'No process runs booking now.\n' });
		const away = {
			NATS_URL: `nats://127.0.0.1:${await freePort()}`,
			REDIS_URL: product.redis!.url,
			MONGO_URL: product.mongoUrl!,
		};
		const ended = await opsWith({ ...away, NAMESPACE, SECRET_KEY }, product.directory, ['audit']);
		expect(ended).toEqual({ code: 1, stdout: '', stderr: 'The bus at NATS_URL cannot be reached.\n' });
	});
});
