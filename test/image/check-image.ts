import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../support/free-port.ts';
import { Client } from '../support/http-client.ts';
import { book, newCustomer, slotOn } from '../support/scheduling.ts';
import { whyNoCluster } from '../support/servers.ts';
import { until } from '../support/until.ts';
import { checkCluster } from './check-cluster.ts';
import { run, start } from './container.ts';
import { ROOT } from './dockerfile.ts';
import { buildRoot, type Image } from './root-file-system.ts';

/**
 * Builds what the Dockerfile says in a directory, starts it there as the image's user on a read-only root, and books.
 * With TEST_MONGO_URL, NATS and Redis at hand also the cluster of docker-compose.yml. As root, on Linux, without a
 * container runtime. It ends with 0, or with 1 and the first thing that is not right.
 */

/** Of package-lock.json, by path */
type Lock = Record<string, { dev?: boolean; optional?: boolean }>;

export async function checkImage(image: Image): Promise<void> {
	listContents(image);
	const [port, adminPort] = [await freePort(), await freePort()];
	const environment = { HOST: '127.0.0.1', PORT: String(port), ADMIN_PORT: String(adminPort), LOG_FORMAT: 'json' };
	const container = start(image, image.command, environment);
	const printed: string[] = [];
	for (const stream of [container.stdout!, container.stderr!]) {
		createInterface({ input: stream }).on('line', (line) => printed.push(line));
	}
	const ended = new Promise<number | string>((resolve) =>
		container.once('exit', (code, signal) => resolve(signal ?? code ?? -1)),
	);
	try {
		const key = await until(
			() => {
				if (container.exitCode !== null) throw new Error(printed.join('\n'));
				return /slw_[0-9A-Za-z]{36}/.exec(printed.join('\n'))?.[0];
			},
			{ what: 'the first start to print a key' },
		);
		await checkServing(image, environment, new Client([`http://127.0.0.1:${port}`], key), adminPort);
		checkConfinement(image, container.pid!, environment);
		const began = performance.now();
		container.kill('SIGTERM');
		must('SIGTERM ends it with', 0, await ended);
		say('stopped after', `${Math.round(performance.now() - began)} ms`);
	} finally {
		container.kill('SIGKILL');
		await ended;
	}
}

function listContents({ root }: Image): void {
	const files = globSync('app/**/*', { cwd: root, withFileTypes: true }).filter((entry) => entry.isFile());
	const names = files.map((file) => join(file.parentPath, file.name));
	const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as { packages: Lock };
	const unwanted = Object.entries(packages).filter(([, { dev, optional }]) => dev || optional);
	must(
		'packages for development',
		[],
		unwanted.map(([path]) => path).filter((path) => existsSync(join(root, 'app', path))),
	);
	const own = names.filter((file) => !file.includes('/node_modules/')).map((file) => file.slice(root.length));
	must(
		'tests, notes and secrets',
		[],
		own.filter((file) => /\/(test|docs|bench)\/|\.test\.|\.env|\.git/.test(file)),
	);
	must(
		'Node of the platform packages',
		[],
		names.filter((file) => /node_modules\/node-/.test(file)),
	);
	const size = execFileSync('du', ['-s', '-B', '1M', join(root, 'app'), join(root, 'usr')], { encoding: 'utf8' });
	const [app, node] = size.split('\n').map((line) => line.split('\t')[0]);
	say('size', `${app} MB of packages and product, ${node} MB of Node`);
	say('files', `${own.length} of the product, ${names.length - own.length} of its packages`);
}

async function checkServing(
	image: Image,
	environment: Record<string, string>,
	http: Client,
	adminPort: number,
): Promise<void> {
	for (const path of ['/healthz', '/readyz']) {
		const answer = await fetch(`http://127.0.0.1:${adminPort}${path}`);
		must(`admin port ${path}`, 200, answer.status);
	}
	for (const path of [[], ['/readyz']]) {
		say('health check', run(image, [...image.healthcheck, ...path], environment).trim());
	}
	for (const path of ['/openapi.json', '/docs', '/console', '/console/console.js'])
		must(path, 200, (await http.withKey(undefined).get(path)).status);
	const place = await slotOn(http, { max_bookings: 1 });
	const booking = await book(http, place, newCustomer());
	say('first booking', `${booking.id}, ${booking.status}`);
	const ops = JSON.parse(run(image, ['node', 'ops/main.ts', 'audit', '--json'], environment)) as object;
	say('an operator’s command', JSON.stringify(ops).slice(0, 100));
}

function checkConfinement(image: Image, pid: number, environment: Record<string, string>): void {
	const status = readFileSync(`/proc/${pid}/status`, 'utf8');
	const field = (name: string) => new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(status)?.[1];
	must('user', String(image.user), field('Uid'));
	must('group', String(image.user), field('Gid'));
	must('capabilities', '0000000000000000', field('CapEff'));
	must('new privileges refused', '1', field('NoNewPrivs'));
	const write = (path: string) => `try { fs.writeFileSync('${path}', ''); 'written' } catch (error) { error.code }`;
	for (const [path, outcome] of [
		['/app/services/x', 'EROFS'],
		['/x', 'EROFS'],
		['/data/x', 'written'],
	] as const) {
		must(`writing ${path}`, outcome, run(image, ['node', '-p', write(path)], environment).trim());
	}
}

function must(what: string, wanted: unknown, seen: unknown): void {
	if (JSON.stringify(seen) !== JSON.stringify(wanted)) {
		throw new Error(`${what}: ${JSON.stringify(seen)}, and not ${JSON.stringify(wanted)}`);
	}
	say(what, JSON.stringify(seen));
}

function say(what: string, value: string): void {
	process.stdout.write(`${what}: ${value}\n`);
}

if (import.meta.main) {
	const directory = mkdtempSync(join(tmpdir(), 'slotwise-image-'));
	try {
		const image = buildRoot(join(directory, 'root'));
		await checkImage(image);
		const missing = whyNoCluster();
		if (missing === undefined) await checkCluster(image, process.env.TEST_MONGO_URL!, say);
		else say('SKIP the cluster of docker-compose.yml', missing);
	} finally {
		rmSync(directory, { recursive: true, force: true });
	}
}
