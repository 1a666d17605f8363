import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ClusterConfig, ConfigError, readConfig } from '../../shared/config/config.ts';
import { openServers } from '../../shared/config/open-servers.ts';
import { createApiKey } from '../../shared/secrets/api-key.ts';

const cluster = {
	NATS_URL: 'nats://127.0.0.1:4222',
	REDIS_URL: 'redis://127.0.0.1:6379',
	MONGO_URL: 'mongodb://127.0.0.1:27017',
	SECRET_KEY: Buffer.alloc(32, 9).toString('base64'),
};
const ZEROS = Buffer.alloc(32).toString('base64');

function faults(environment: Record<string, string>): string[] {
	try {
		readConfig(environment);
	} catch (error) {
		if (error instanceof ConfigError) return error.faults;
		throw error;
	}
	return [];
}

describe('the configuration', () => {
	test('When nothing is set, then the form is embedded, with all six services on 127.0.0.1:3000', () => {
		const config = readConfig({});
		expect(config).toMatchObject({
			form: 'embedded',
			host: '127.0.0.1',
			port: 3000,
			adminPort: 9464,
			dataDir: './data',
		});
		expect(config.services).toHaveLength(6);
		expect(Object.isFrozen(config)).toBe(true);
	});

	test('When all three URLs are set, then it is a cluster', () => {
		expect(readConfig({ ...cluster, SERVICES: 'booking, catalog' })).toMatchObject({
			form: 'cluster',
			services: ['booking', 'catalog'],
		});
	});

	test.each([
		[
			'some URLs',
			{ NATS_URL: cluster.NATS_URL },
			'REDIS_URL and MONGO_URL must be set too: a cluster needs all three, or none.',
		],
		['a cluster without its secret', { ...cluster, SECRET_KEY: '' }, 'SECRET_KEY must be set in a cluster'],
		[
			'a cluster with a key of zeros',
			{ ...cluster, SECRET_KEY: ZEROS },
			'SECRET_KEY is all zeros, which seals nothing',
		],
		['a part of the services embedded', { SERVICES: 'booking' }, 'SERVICES names a part of the services'],
		['an unknown service', { SERVICES: 'gateway,bookings' }, 'SERVICES must be one of gateway'],
		['a port out of range', { PORT: '65536' }, 'PORT must be an integer from 0 to 65535, not "65536".'],
		['a port that is no number', { PORT: '0x50' }, 'PORT must be an integer'],
		['an unknown level', { LOG_LEVEL: 'loud' }, 'LOG_LEVEL must be one of'],
		['a flag that is no flag', { WEBHOOK_ALLOW_PRIVATE: 'yes' }, 'WEBHOOK_ALLOW_PRIVATE must be one of 0, 1'],
		[
			'a sampler that is none',
			{ OTEL_TRACES_SAMPLER: 'jaeger_remote' },
			'OTEL_TRACES_SAMPLER must be one of always_on',
		],
		['a ratio above 1', { OTEL_TRACES_SAMPLER_ARG: '1.5' }, 'OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1'],
		['an origin with a path', { CORS_ORIGINS: 'https://app.example.com/' }, 'CORS_ORIGINS must be exact origins'],
		['a proxy that is no address', { TRUST_PROXY: '10.0.0.0/33' }, 'TRUST_PROXY must be'],
		['a namespace with a dot', { NAMESPACE: 'a.b' }, 'NAMESPACE must be'],
		[
			'a bootstrap key with a typing error',
			{ BOOTSTRAP_KEYS: `${createApiKey().slice(0, -1)}!:Growth` },
			'BOOTSTRAP_KEYS has a key',
		],
		['a bootstrap key without a package', { BOOTSTRAP_KEYS: createApiKey() }, 'BOOTSTRAP_KEYS must be <key>:<Package>'],
	])('When there is %s, then it is refused with a sentence', (_, environment, sentence) => {
		expect(faults(environment as Record<string, string>)).toEqual([expect.stringContaining(sentence)]);
	});

	test('When several values are wrong, then each has its sentence, and no secret is in them', () => {
		const key = createApiKey();
		const found = faults({ PORT: 'x', HOST: 'a b', BOOTSTRAP_KEYS: `${key}:`, REDIS_URL: 'http://:secret@x' });
		expect(found).toHaveLength(5);
		expect(found.join()).not.toContain(key);
		expect(found.join()).not.toContain('secret');
	});
});

test('When a key of zeros is replaced, then it may still open what it sealed', () => {
	const SECRET_KEY = `${cluster.SECRET_KEY},${ZEROS}`;
	expect(readConfig({ ...cluster, SECRET_KEY }).secretKeys).toEqual([cluster.SECRET_KEY, ZEROS]);
});

test('When DEMO is not set, then a demo account is made embedded, and in a cluster none', () => {
	expect([readConfig({}).demo, readConfig({ DEMO: '0' }).demo]).toEqual([true, false]);
	expect([readConfig(cluster).demo, readConfig({ ...cluster, DEMO: '1' }).demo]).toEqual([false, true]);
});

describe('servers that let anybody in', () => {
	const open = (urls: Partial<typeof cluster>) => openServers(readConfig({ ...cluster, ...urls }) as ClusterConfig);

	test('When a URL has neither TLS nor a password, then its variable is named', () => {
		expect(open({})).toEqual(['NATS_URL', 'REDIS_URL', 'MONGO_URL']);
	});

	test.each([
		['NATS_URL', 'nats://ada:secret@one:4222,nats://two:4222'],
		['NATS_URL', 'tls://one:4222'],
		['NATS_URL', 'nats://one:4222,tls://two:4222'],
		['REDIS_URL', 'redis://:secret@one:6379'],
		['REDIS_URL', 'rediss://one:6379'],
		['MONGO_URL', 'mongodb://ada:secret@one,two/slotwise?replicaSet=rs0'],
		['MONGO_URL', 'mongodb://one:27017,two:27017/slotwise?replicaSet=rs0&tls=true'],
		['MONGO_URL', 'mongodb://one/?ssl=true'],
		['MONGO_URL', 'mongodb+srv://one.example.com/slotwise'],
	])('%s=%s is none', (name, url) => {
		expect(open({ [name]: url })).not.toContain(name);
	});

	test.each([
		['NATS_URL', 'nats://ada@one:4222'],
		['NATS_URL', 'nats://one:4222,nats://ada:secret@two:4222'],
		['REDIS_URL', 'redis://ada@one:6379/0'],
		['MONGO_URL', 'mongodb://ada@one,two/slotwise?replicaSet=rs0'],
		['MONGO_URL', 'mongodb+srv://one.example.com/slotwise?tls=false'],
	])('%s=%s is one', (name, url) => {
		expect(open({ [name]: url })).toContain(name);
	});
});

test('N7: When ADMIN_HOST is set, then the admin port listens there, else where the API does', () => {
	expect(readConfig({ HOST: '0.0.0.0' }).adminHost).toBe('0.0.0.0');
	expect(readConfig({ HOST: '0.0.0.0', ADMIN_HOST: '127.0.0.1' }).adminHost).toBe('127.0.0.1');
	expect(faults({ ADMIN_HOST: 'a b' })).toEqual(['ADMIN_HOST must be a host name or an address, not "a b".']);
});

describe('D4: variables in files', () => {
	let directory: string;
	beforeAll(() => {
		directory = mkdtempSync(join(tmpdir(), 'slotwise-files-'));
	});
	afterAll(() => rmSync(directory, { recursive: true }));
	const fileOf = (content: string) => {
		const file = join(directory, `${Math.random()}`);
		writeFileSync(file, content);
		return file;
	};

	test('When each secret variable of a cluster is in a file, then it is as if it were set', () => {
		const key = createApiKey();
		const all = { ...cluster, BOOTSTRAP_KEYS: `${key}:Growth` };
		const named = Object.entries(all).map(([name, value]) => [`${name}_FILE`, fileOf(`${value}\n`)]);
		expect(readConfig(Object.fromEntries(named))).toEqual(readConfig(all));
	});

	test.each([
		[
			'it and the variable are both set',
			{ SECRET_KEY: cluster.SECRET_KEY },
			'SECRET_KEY and SECRET_KEY_FILE are both set',
		],
		['it is empty', { SECRET_KEY_FILE: '' }, 'SECRET_KEY_FILE is empty.'],
		['it is not there', { SECRET_KEY_FILE: '/nowhere/key' }, 'SECRET_KEY_FILE cannot be read: ENOENT'],
		['it holds something else', { SECRET_KEY_FILE: 'a key' }, 'SECRET_KEY must be 32 bytes in base64'],
	])('When %s, then that is the fault', (_, given: { SECRET_KEY?: string; SECRET_KEY_FILE?: string }, sentence) => {
		const content = given.SECRET_KEY_FILE ?? cluster.SECRET_KEY;
		const file = content.startsWith('/') ? content : fileOf(content);
		expect(faults({ ...given, SECRET_KEY_FILE: file })).toEqual([expect.stringContaining(sentence)]);
	});

	test.each([
		[
			'three keys',
			`${cluster.SECRET_KEY},${Buffer.alloc(32, 1).toString('base64')},${Buffer.alloc(32, 2).toString('base64')}`,
		],
		['one key twice', `${cluster.SECRET_KEY},${cluster.SECRET_KEY}`],
		['none but a comma', ','],
	])('When SECRET_KEY has %s, then it is refused', (_, SECRET_KEY) => {
		expect(faults({ SECRET_KEY })).toEqual(['SECRET_KEY must be one key, or two different ones separated by a comma.']);
	});
});
