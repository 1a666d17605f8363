import { describe, expect, test } from '@jest/globals';
import { until } from '../../support/until.ts';
import { temporaryDirectory } from '../stores.ts';
import { expectKept, note, type Told } from './acknowledged.ts';
import { Writer } from './writer.ts';

/** SIGKILLs in one run; nightly 200. */
const kills = Number(process.env.STORE_KILLS ?? 20);

describe('the embedded store under SIGKILL', () => {
	const directory = temporaryDirectory();

	test(
		`E2: When the writer is killed ${kills} times, then every acknowledged write is there and no index is out of step`,
		async () => {
			const dataDir = directory();
			const told: Told = new Map();
			for (let kill = 0; kill < kills; kill++) {
				const writer = new Writer(dataDir, { firstId: 1 + kill * 1_000_000 });
				const enough = 1 + Math.floor(Math.random() ** 3 * 400);
				await until(() => writer.lines.length > enough, { interval: 1, what: `${enough} lines; ${writer.err}` });
				writer.kill();
				expect(await writer.ended).toBe('SIGKILL');
				for (const line of writer.lines) note(told, line);
				await expectKept(dataDir, told);
			}
			expect(told.size).toBeGreaterThan(kills);
		},
		240_000 + kills * 6_000,
	);
});
