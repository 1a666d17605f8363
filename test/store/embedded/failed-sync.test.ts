import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { openStore } from '../../../shared/store/open-store.ts';
import { until } from '../../support/until.ts';
import { temporaryDirectory } from '../stores.ts';
import { thingModel } from '../thing.ts';
import type { Disk } from './forgetful-disk.ts';

const script = join(import.meta.dirname, 'thing-process.ts');
const preload = join(import.meta.dirname, 'forgetful-disk.ts');

describe('the embedded store on a disk that failed, and forgets what it could not write', () => {
	const directory = temporaryDirectory();
	const processes: ChildProcess[] = [];
	afterEach(() => {
		for (const child of processes.splice(0)) child.kill('SIGKILL');
	});

	/** What it prints is told to somebody. */
	function start(dataDir: string, id: number) {
		const node = ['--disable-warning=ExperimentalWarning', '--import', preload];
		const child = spawn(process.execPath, [...node, script, dataDir, String(id)]);
		processes.push(child);
		const ended = new Promise((resolve) => child.once('close', resolve));
		let output = '';
		for (const stream of [child.stdout, child.stderr]) {
			stream.on('data', (text) => {
				output += text;
			});
		}
		return {
			told: (line: string) =>
				until(() => output.includes(`${line}\n`), { what: `"${line}"` }).catch((error: Error) => {
					throw new Error(`${error.message}: ${output}`);
				}),
			write: () => child.stdin.write('\n'),
			async kill() {
				child.kill('SIGKILL');
				await ended;
			},
		};
	}

	/** A store with 1, whose disk failed when 2 was written. */
	async function failedStore(): Promise<string> {
		const dataDir = directory();
		const first = start(dataDir, 1);
		await first.told('found ');
		first.write();
		await first.told('wrote 1');
		await first.kill();
		const second = start(dataDir, 2);
		await second.told('found 1');
		writeFileSync(join(dataDir, 'failing'), '');
		second.write();
		await second.told('failed SyncFailed');
		await second.kill();
		return dataDir;
	}

	/** The ids that are there after a loss of power. */
	async function afterPowerCut(dataDir: string): Promise<number[]> {
		const cut = directory();
		copyFileSync(join(dataDir, 'slotwise.db'), join(cut, 'slotwise.db'));
		const { kept } = JSON.parse(readFileSync(join(dataDir, 'disk.json'), 'utf8')) as Disk;
		const pages = kept.map((page) => (page ? Buffer.from(page, 'base64') : Buffer.alloc(4096)));
		writeFileSync(join(cut, 'slotwise.db-wal'), Buffer.concat(pages));
		const store = await openStore({ form: 'embedded', dataDir: cut });
		const found = await thingModel(store.connection).find({}).sort({ _id: 1 }).lean();
		await store.close();
		return found.map(({ _id }) => _id);
	}

	test('When power is lost right after the failure, then what was acknowledged is there, and the rest is not', async () => {
		expect(await afterPowerCut(await failedStore())).toEqual([1]);
	});

	test('X5: When it works again after a new start, then what that tells of survives a loss of power', async () => {
		const dataDir = await failedStore();
		rmSync(join(dataDir, 'failing'));
		const again = start(dataDir, 3);
		await again.told('found 1 2');
		expect(await afterPowerCut(dataDir)).toEqual([1, 2]);
		again.write();
		await again.told('wrote 3');
		await again.kill();
		expect(await afterPowerCut(dataDir)).toEqual([1, 2, 3]);
	});

	test('X5: When it still fails at a new start, then nothing is told', async () => {
		const dataDir = await failedStore();
		await start(dataDir, 3).told('failed SyncFailed');
		expect(await afterPowerCut(dataDir)).toEqual([1]);
	});
});
