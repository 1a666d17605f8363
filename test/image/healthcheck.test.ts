import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { freePort } from '../support/free-port.ts';
import { ROOT } from './dockerfile.ts';

const CLUSTER = { NATS_URL: 'nats://n', REDIS_URL: 'redis://r', MONGO_URL: 'mongodb://m', SERVICES: 'booking' };
const SECRET_KEY = Buffer.alloc(32, 1).toString('base64');

/** The health check's end in a container with these variables. */
function check(env: Record<string, string>, ...args: string[]): Promise<{ code: number; text: string }> {
	const script = join(ROOT, 'shared/process/healthcheck.ts');
	return new Promise((resolve) => {
		const child = execFile(process.execPath, [script, ...args], { env, cwd: '/' }, (_, text) =>
			resolve({ code: child.exitCode!, text }),
		);
	});
}

test('When the process answers 200, then its container is healthy; when it answers 503 or not at all, then not', async () => {
	const server = createServer(({ url }, response) => void response.writeHead(url === '/healthz' ? 200 : 503).end('{}'));
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const port = String((server.address() as AddressInfo).port);
	try {
		const env = { ...CLUSTER, SECRET_KEY, HOST: '0.0.0.0', ADMIN_PORT: port };
		expect(await check(env)).toEqual({ code: 0, text: `http://127.0.0.1:${port}/healthz: 200 {}\n` });
		expect(await check(env, '/readyz')).toMatchObject({ code: 1, text: expect.stringContaining('503') });
		expect((await check({ ADMIN_PORT: 'off', PORT: port })).code).toBe(0);
		const nobody = { ...env, ADMIN_PORT: String(await freePort()) };
		expect(await check(nobody)).toMatchObject({ code: 1, text: expect.stringContaining('ECONNREFUSED') });
	} finally {
		await new Promise((resolve) => server.close(resolve));
	}
});
