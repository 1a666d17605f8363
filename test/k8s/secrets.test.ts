import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { connect } from 'nats';
import { makeSecrets } from '../../compose/make-secrets.ts';
import { readConfig } from '../../shared/config/config.ts';
import { createApiKey } from '../../shared/secrets/api-key.ts';
import { Child } from '../support/child.ts';
import { freePort } from '../support/free-port.ts';
import { whyNoCluster } from '../support/servers.ts';
import { until } from '../support/until.ts';

let directory: string;
beforeEach(() => {
	directory = mkdtempSync(join(tmpdir(), 'slotwise-secrets-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const read = (file: string) => readFileSync(join(directory, file), 'utf8');
const all = () => globSync('**/*', { cwd: directory, withFileTypes: true }).filter((entry) => entry.isFile());
const texts = () => all().map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'));

describe('the secrets of a cluster that is tried', () => {
	test('A process takes what is made for it, and each server has the same password', () => {
		makeSecrets(directory, {});
		const env = parseEnv(read('slotwise/.env'));
		const config = readConfig(env);
		expect(config.form).toBe('cluster');
		expect(read('nats/nats.conf')).toContain(`password: "${new URL(env.NATS_URL!).password}"`);
		expect(read('redis/redis.conf')).toContain(`requirepass ${new URL(env.REDIS_URL!).password}\n`);
		expect(read('mongo/slotwise-password').trim()).toBe(new URL(env.MONGO_URL!).password);
		expect(read('mongo/key').trim()).toMatch(/^[A-Za-z0-9+/=]{6,1024}$/); // what mongod takes for a key
		const secrets = [...Object.values(env), read('mongo/root-password'), read('mongo/key')];
		expect(new Set(secrets).size).toBe(secrets.length);
	});

	test('When they are there, then they stay; elsewhere they are others', () => {
		makeSecrets(directory, {});
		const before = texts();
		makeSecrets(directory, { SECRET_KEY: '', BOOTSTRAP_KEYS: '' });
		expect(texts()).toEqual(before);
		const elsewhere = join(directory, 'elsewhere');
		makeSecrets(elsewhere, {});
		expect(readFileSync(join(elsewhere, 'slotwise/.env'), 'utf8')).not.toBe(read('slotwise/.env'));
	});

	test('When keys are given, then the processes get them', () => {
		const given = { SECRET_KEY: Buffer.alloc(32, 7).toString('base64'), BOOTSTRAP_KEYS: `${createApiKey()}:Growth` };
		makeSecrets(directory, {});
		makeSecrets(directory, given);
		expect(parseEnv(read('slotwise/.env'))).toMatchObject(given);
		expect(read('slotwise/.env').match(/SECRET_KEY/g)).toHaveLength(1);
	});
});

const onServers = whyNoCluster()?.includes('server') ? describe.skip : describe;

onServers('the servers’ configuration', () => {
	test('NATS takes it, and lets nobody in without the password', async () => {
		makeSecrets(directory, {});
		const [port, health] = [await freePort(), await freePort()];
		const args = ['-c', join(directory, 'nats/nats.conf'), '-a', '127.0.0.1', '-p', `${port}`, '-m', `${health}`];
		const server = new Child('nats-server', 'nats-server', args);
		try {
			await until(async () => (await fetch(`http://127.0.0.1:${health}/healthz`)).ok, { what: 'NATS to be healthy' });
			const { username: user, password: pass } = new URL(parseEnv(read('slotwise/.env')).NATS_URL!);
			const servers = `127.0.0.1:${port}`;
			await expect(connect({ servers, reconnect: false })).rejects.toThrow('Authorization');
			const connection = await connect({ servers, user, pass });
			await connection.close();
		} finally {
			await server.stop();
		}
	});

	test('Redis takes it, and answers nothing without the password', async () => {
		makeSecrets(directory, {});
		const port = await freePort();
		const args = [join(directory, 'redis/redis.conf'), '--port', `${port}`, '--bind', '127.0.0.1', '--dir', directory];
		const server = new Child('redis-server', 'redis-server', args);
		const stranger = new Redis({ host: '127.0.0.1', port, lazyConnect: true, maxRetriesPerRequest: 200 });
		const { password } = new URL(parseEnv(read('slotwise/.env')).REDIS_URL!);
		const friend = stranger.duplicate({ password });
		for (const client of [stranger, friend]) client.on('error', () => {}); // until it listens
		try {
			await expect(stranger.get('x')).rejects.toThrow('NOAUTH');
			expect(await friend.config('GET', 'appendonly')).toEqual(['appendonly', 'no']);
		} finally {
			stranger.disconnect();
			friend.disconnect();
			await server.stop();
		}
	});
});
