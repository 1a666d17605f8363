import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { MongoClient } from 'mongodb';
import { makeSecrets } from '../../compose/make-secrets.ts';
import { SERVICE_NAMES } from '../../shared/config/config.ts';
import { createApiKey } from '../../shared/secrets/api-key.ts';
import { readYaml } from '../k8s/manifests.ts';
import { Child } from '../support/child.ts';
import { freePort } from '../support/free-port.ts';
import { Client } from '../support/http-client.ts';
import { book, newCustomer, slotOn } from '../support/scheduling.ts';
import { until } from '../support/until.ts';
import { run, start } from './container.ts';
import type { Image } from './root-file-system.ts';

/** ms between two health checks, each of which starts a Node beside what it asks about */
const LOOK = 500;

/**
 * The cluster of docker-compose.yml: each service as a container of the image, with the variables, the command and the
 * health check that it has there, the secrets that `secrets` makes, and NATS and Redis configured by them. The database
 * is that of TEST_MONGO_URL, and addresses are this machine's.
 */
export async function checkCluster(image: Image, mongoUrl: string, say: (what: string, value: string) => void) {
	const secrets = `${image.root}.secrets`;
	const key = createApiKey();
	makeSecrets(secrets, { BOOTSTRAP_KEYS: `${key}:Unlimited` });
	const [nats, natsHealth, redis, port] = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
	const servers = [
		new Child('nats-server', 'nats-server', [
			'-c',
			join(secrets, 'nats/nats.conf'),
			'-p',
			`${nats}`,
			'-m',
			`${natsHealth}`,
		]),
		new Child('redis-server', 'redis-server', [join(secrets, 'redis/redis.conf'), '--port', `${redis}`]),
	];
	const { services } = readYaml('docker-compose.yml')[0]!;
	const directory = services.gateway.working_dir as string;
	const database = `${mongoUrl}/image_${randomBytes(4).toString('hex')}`;
	const env = readFileSync(join(secrets, 'slotwise/.env'), 'utf8')
		.replace('@nats:4222', `@127.0.0.1:${nats}`)
		.replace('@redis:6379', `@127.0.0.1:${redis}`)
		.replace(/^MONGO_URL=.*$/m, `MONGO_URL=${database}`);
	const file = join(image.root, directory, '.env');
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, env);

	const containers: ChildProcess[] = [];
	const healthy: (() => Promise<void>)[] = [];
	try {
		for (const name of SERVICE_NAMES) {
			const adminPort = String(await freePort());
			const given = Object.entries({ ...services[name].environment } as Record<string, string>);
			const plain = given.filter(([, value]) => !value.includes('$')); // the others are the user's to set
			const variables = { ...Object.fromEntries(plain), HOST: '127.0.0.1', PORT: `${port}`, ADMIN_PORT: adminPort };
			const container = start({ ...image, workdir: directory }, services[name].command, variables);
			containers.push(container);
			const printed: string[] = [];
			createInterface({ input: container.stdout! }).on('line', (line) => printed.push(line));
			createInterface({ input: container.stderr! }).on('line', (line) => printed.push(line));
			const [, ...check] = services[name].healthcheck.test as string[];
			const isHealthy = () => run({ ...image, workdir: directory }, check, variables).includes(': 200 ');
			healthy.push(async () => {
				await until(isHealthy, { interval: LOOK, what: `${name} to be healthy` }).catch((error: Error) => {
					throw new Error(printed.join('\n'), { cause: error });
				});
				say(`container ${name}`, `healthy, pid ${container.pid}`);
			});
		}
		for (const wait of healthy) await wait(); // all start beside each other
		const http = new Client([`http://127.0.0.1:${port}`], key);
		await until(async () => (await http.get('/readyz')).status === 200, {
			timeout: 60_000,
			what: 'the gateway to be ready',
		});
		const booking = await book(http, await slotOn(http, { max_bookings: 1 }), newCustomer());
		say('first booking of the cluster', `${booking.id}, ${booking.status}`);
		for (const [index, { pid }] of containers.entries()) {
			const resident = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1];
			say(`memory of ${SERVICE_NAMES[index]}`, `${Math.round(Number(resident) / 1024)} MB`);
		}
	} finally {
		const ends = containers.map(
			(one) => new Promise((resolve) => one.once('exit', (code, signal) => resolve(signal ?? code))),
		);
		for (const one of containers) one.kill('SIGTERM');
		say('the containers ended with', (await Promise.all(ends)).join(', '));
		await Promise.all(servers.map((server) => server.stop()));
		await drop(database);
	}
}

async function drop(database: string): Promise<void> {
	const client = new MongoClient(database);
	await client.db().dropDatabase();
	await client.close();
}
