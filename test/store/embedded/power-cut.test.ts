import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { until } from '../../support/until.ts';
import { temporaryDirectory } from '../stores.ts';
import { expectKept, note, type Told } from './acknowledged.ts';
import { Writer } from './writer.ts';

const CUTS = 5;

describe('the embedded store under a loss of power', () => {
	const directory = temporaryDirectory();

	test('E2: When all that was not synced is lost, then every acknowledged write is there all the same', async () => {
		for (let cut = 0; cut < CUTS; cut++) {
			const dataDir = directory();
			const preload = join(import.meta.dirname, 'synced-only.ts');
			const writer = new Writer(dataDir, { preload });
			const enough = 20 + Math.floor(Math.random() * 400);
			await until(() => writer.lines.length > enough, { interval: 1, what: `${enough} lines; ${writer.err}` });
			writer.kill();
			expect([await writer.ended, writer.err]).toEqual(['SIGKILL', '']);
			const told: Told = new Map();
			for (const line of writer.lines) note(told, line);
			expect(told.size).toBeGreaterThan(5);
			// Between two renames of the preload there is no `synced`, and `before` is the newest complete one.
			const [synced, before] = [join(dataDir, 'synced'), join(dataDir, 'before')];
			await expectKept(existsSync(synced) ? synced : before, told);
		}
	});
});
