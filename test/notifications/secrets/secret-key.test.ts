import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { readConfig } from '../../../shared/config/config.ts';
import { CannotStart } from '../../../shared/process/cannot-start.ts';
import { secretKeysOf } from '../../../shared/secrets/secret-key.ts';
import { Child } from '../../support/child.ts';
import { until } from '../../support/until.ts';

let dataDir: string;
beforeEach(() => {
	dataDir = mkdtempSync(join(tmpdir(), 'slotwise-key-'));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

const KEY = Buffer.alloc(32, 1).toString('base64');
const embedded = (environment = {}) => readConfig({ DATA_DIR: dataDir, ...environment });
const file = () => join(dataDir, 'secret.key');
const keysOf = (environment = {}, isAnythingSealed = false) =>
	secretKeysOf(embedded(environment), async () => isAnythingSealed);

describe('W6: SECRET_KEY embedded', () => {
	test('When there is none, then the first start makes one that only its owner can read, and keeps it', async () => {
		const first = await keysOf();
		expect(first).toEqual([expect.objectContaining({ length: 32 })]);
		expect(await keysOf({}, true)).toEqual(first);
		expect(readdirSync(dataDir)).toEqual(['secret.key']);
		if (process.platform !== 'win32') expect(statSync(file()).mode & 0o777).toBe(0o600);
	});

	test('When two directories are made, then their keys differ', async () => {
		const first = await keysOf();
		rmSync(file());
		expect(await keysOf()).not.toEqual(first);
	});

	test('D4: When the file is gone though something is sealed, then that is said, and no new key is made', async () => {
		await expect(keysOf({}, true)).rejects.toThrow(`${file()} is gone, and the secrets of webhooks are sealed with it`);
		await expect(keysOf({}, true)).rejects.toThrow(CannotStart);
		expect(readdirSync(dataDir)).toEqual([]);
	});

	test('When SECRET_KEY is set, then it is used and no file is made', async () => {
		expect(await keysOf({ SECRET_KEY: KEY }, true)).toEqual([Buffer.alloc(32, 1)]);
		const old = Buffer.alloc(32, 2).toString('base64');
		expect(await keysOf({ SECRET_KEY: `${KEY},${old}` })).toEqual([Buffer.alloc(32, 1), Buffer.alloc(32, 2)]);
		expect(readdirSync(dataDir)).toEqual([]);
	});

	test.each(['', 'not a key', KEY.slice(1)])('When the file holds %j, then the start is refused', async (content) => {
		writeFileSync(file(), content);
		await expect(keysOf()).rejects.toThrow(CannotStart);
		await expect(keysOf()).rejects.toThrow(`${file()} must be 32 bytes in base64`);
		expect(readFileSync(file(), 'utf8')).toBe(content);
	});
});

describe('SECRET_KEY in a cluster', () => {
	const urls = { NATS_URL: 'nats://127.0.0.1:1', REDIS_URL: 'redis://127.0.0.1:1', MONGO_URL: 'mongodb://127.0.0.1:1' };

	test.each([
		[{}, 'SECRET_KEY must be set in a cluster: 32 bytes in base64, such as `openssl rand -base64 32` prints.'],
		[{ SECRET_KEY: 'c2hvcnQ=' }, 'SECRET_KEY must be 32 bytes in base64, such as `openssl rand -base64 32` prints.'],
	])('When a process starts with %j, then it ends with exit code 78 and one sentence', async (secret, sentence) => {
		const main = join(import.meta.dirname, '../../../main.js');
		const env = { PATH: process.env.PATH ?? '', ...urls, ...secret };
		const child = new Child('slotwise', process.execPath, [main], { env, cwd: dataDir });
		expect(await child.exited).toBe(78);
		const said = () => child.tail().split('\n').slice(1); // its first line is the process' name
		await until(() => said().join('') !== '');
		expect(said()).toEqual([sentence]);
	});
});
