import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Child } from '../../test/support/child.ts';
import { freePort } from '../../test/support/free-port.ts';
import { embeddedDataDir } from '../../test/support/product.ts';
import { ECHO } from '../baselines/start-echo.ts';
import { type Bench, SMALL } from '../bench.ts';
import type { Measure, Side } from '../comparison.ts';

const MAIN = resolve(import.meta.dirname, '../../main.js');
const MAKE_BUNDLE = resolve(import.meta.dirname, '../../shared/process/make-bundle.ts');
const LOOK_EVERY = 5; // ms
const PATIENCE = 60_000; // ms

/** ms from the start of a process to its first 200. */
async function startTime(file: string, path: string, env: Record<string, string>): Promise<number> {
	const port = await freePort();
	const directory = mkdtempSync(join(tmpdir(), 'slotwise-bench-'));
	const began = performance.now();
	const child = new Child('start', process.execPath, [file], {
		env: { PATH: process.env.PATH ?? '', PORT: String(port), ...env },
		cwd: directory,
		logFile: join(directory, 'start.log'),
	});
	try {
		while ((await statusOf(port, path)) !== 200) {
			if (child.ended || performance.now() - began > PATIENCE)
				throw new Error(`${file} did not start\n${child.tail()}`);
			await new Promise((wake) => setTimeout(wake, LOOK_EVERY));
		}
		return performance.now() - began;
	} finally {
		await child.stop();
		rmSync(directory, { recursive: true, force: true });
	}
}

function statusOf(port: number, path: string): Promise<number> {
	return new Promise((wake) => {
		const asking = request({ host: '127.0.0.1', port, path, agent: false }, (answer) => {
			answer.resume().on('end', () => wake(answer.statusCode ?? 0));
		});
		asking.on('error', () => wake(0)).end();
	});
}

const baseline: Side = {
	name: 'bare moleculer-web',
	measure: async () => ({ value: await startTime(ECHO.pathname, '/echo/nothing', {}) }),
};

/** `node main.js`, which `npm start` runs, on a store that was used before; its own process has left it. */
const start = (name: string, bookings: (bench: Bench) => number): Measure => ({
	name,
	form: 'embedded',
	title: `start to ready${name === 'start' ? '' : ', large store'} / a bare moleculer-web’s`,
	unit: 'ms',
	goal: { atMost: 1.5 },
	async prepare(bench) {
		execFileSync(process.execPath, [MAKE_BUNDLE]); // as `npm ci` did, for the sources as they are now
		const site = await bench.site('embedded', bookings(bench));
		const [own] = site.product.processes;
		await own!.stop();
		const env = { ADMIN_PORT: 'off', DATA_DIR: embeddedDataDir(site.product) };
		return {
			ours: {
				name: `${site.bookings.toLocaleString('en')} bookings`,
				measure: async () => ({ value: await startTime(MAIN, '/readyz', env) }),
			},
			baseline,
			async end() {
				await own!.restart();
				await own!.ready();
			},
		};
	},
});

export const starts: Measure[] = [
	start('start', () => SMALL),
	start('start-large', ({ options }) => options.large.embedded),
];
