import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
	closeSync,
	existsSync,
	mkdirSync,
	openSync,
	readFileSync,
	readSync,
	realpathSync,
	statSync,
	writeFileSync,
} from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');
const DIGESTS = JSON.parse(readFileSync(join(ROOT, 'shared/process/node-digests.json'), 'utf8'));
const NEWEST_KNOWN = 'Node 24 or newer, such as the latest 24 of https://nodejs.org';

/** The variable that names the process which handed over to this one */
const LAUNCHER = 'SLOTWISE_LAUNCHER';
/** ms between two looks whether it is still there */
const LOOK_EVERY = 500;

/**
 * @typedef {{ version: string, file: string, sha256: string }} Release  `file` in its package
 */

/**
 * Hands the command line of this process to a Node that can be trusted and ends with it; or returns, where this one is.
 * Prints one sentence and ends with 1 where there is none.
 * @param {boolean} isOld whether this Node cannot run Slotwise
 */
export async function runOnTrustedNode(isOld) {
	if (!isOld) endWithLauncher();
	try {
		const file = isOld ? (installedNode(process.env.PATH ?? '') ?? nodeOfNpm()) : nodeOfNpm();
		if (isOld) await handOver(file);
	} catch (error) {
		process.stderr.write(`${error.message}\n`);
		process.exit(1);
	}
}

/**
 * The first Node ≥ 24 of a PATH, but not one that a package brought.
 * @param {string} path
 * @returns {string | undefined}
 */
export function installedNode(path) {
	const known = new Set([realpathSync(process.execPath)]);
	for (const directory of path.split(delimiter)) {
		const file = join(directory, process.platform === 'win32' ? 'node.exe' : 'node');
		if (!isAbsolute(directory) || !existsSync(file)) continue;
		const real = realpathSync(file);
		if (known.has(real) || /[\\/]node_modules[\\/]/.test(real)) continue;
		known.add(real);
		const { stdout } = spawnSync(real, ['--version'], { encoding: 'utf8', timeout: 10_000 });
		if (Number(/^v(\d+)\./.exec(stdout ?? '')?.[1]) >= 24) return real;
	}
	return undefined;
}

/**
 * The package of npm that has a Node for a platform, and what its file must be. There is none where npm's releases lag so
 * far behind that they have known holes: macOS on ARM.
 * @param {string} platform as `process.platform`
 * @param {string} arch as `process.arch`
 * @returns {(Release & { name: string }) | undefined}
 */
export function releaseFor(platform, arch) {
	const name = `node-${platform === 'win32' ? 'win' : platform}-${arch}`;
	return Object.hasOwn(DIGESTS, name) ? { name, ...DIGESTS[name] } : undefined;
}

/**
 * The Node that npm installed with this Slotwise.
 * @returns {string} its file
 * @throws {Error} with a sentence for whoever started this
 */
function nodeOfNpm() {
	const release = releaseFor(process.platform, process.arch);
	const file = release && join(ROOT, 'node_modules', release.name, release.file);
	if (file === undefined || !existsSync(file)) {
		const found = `found ${process.version} only`;
		throw new Error(`Slotwise needs ${NEWEST_KNOWN}, and ${found}: install it, and start again.`);
	}
	if (!isIntact(file, release.sha256)) {
		const named = `the Node ${release.version} that Slotwise names`;
		throw new Error(`${file} is not ${named}: run \`npm ci\` again, or install ${NEWEST_KNOWN}.`);
	}
	return file;
}

/**
 * Whether a file has a digest. To read its 100 MB takes 0.1 s and more, so what was found is remembered beside the packages
 * for as long as the file was not written again. Who could forge that can write the packages, and this file, as well.
 * @param {string} file
 * @param {string} sha256
 */
function isIntact(file, sha256) {
	const { size, mtimeMs, ctimeMs, ino } = statSync(file);
	const stamp = [sha256, size, mtimeMs, ctimeMs, ino].join(' ');
	const remembered = join(ROOT, 'node_modules/.cache/slotwise-node');
	if (existsSync(remembered) && readFileSync(remembered, 'utf8') === stamp) return true;
	if (digestOf(file) !== sha256) return false;
	try {
		mkdirSync(dirname(remembered), { recursive: true });
		writeFileSync(remembered, stamp);
	} catch {
		// A directory that cannot be written: each start reads the file.
	}
	return true;
}

/** @param {string} file */
function digestOf(file) {
	const hash = createHash('sha256');
	const bytes = Buffer.allocUnsafe(1 << 20);
	const descriptor = openSync(file, 'r');
	for (let length = 1; length > 0; ) {
		length = readSync(descriptor, bytes, 0, bytes.length, null);
		hash.update(bytes.subarray(0, length));
	}
	closeSync(descriptor);
	return hash.digest('hex');
}

/**
 * Runs this process' command line on another Node, and ends as that ends. Never returns.
 * @param {string} file
 */
function handOver(file) {
	const env = { ...process.env, [LAUNCHER]: String(process.pid) };
	const child = spawn(file, [...process.execArgv, ...process.argv.slice(1)], { stdio: 'inherit', env });
	const signals = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
	for (const signal of signals) process.on(signal, () => child.kill(signal));
	return new Promise((_, reject) => {
		child.once('error', reject);
		child.once('exit', (code, signal) => {
			if (signal === null) process.exit(code);
			process.removeAllListeners(signal);
			process.kill(process.pid, signal);
		});
	});
}

/**
 * A launcher that is killed can pass on no signal, and what it started would go on and keep the ports. So a process that was
 * handed over to stops, as at SIGTERM, once its launcher is gone; its parent is then another process.
 */
export function endWithLauncher() {
	const launcher = Number(process.env[LAUNCHER]);
	delete process.env[LAUNCHER];
	if (launcher !== process.ppid) return;
	const look = setInterval(() => {
		if (process.ppid === launcher) return;
		clearInterval(look);
		process.kill(process.pid, 'SIGTERM');
	}, LOOK_EVERY);
	look.unref();
}
