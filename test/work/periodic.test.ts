import { expect, test } from '@jest/globals';
import { Periodic } from '../../shared/work/periodic.ts';
import { until } from '../support/until.ts';

test('When a run fails, then it is told, and the next one comes all the same', async () => {
	const failures: unknown[] = [];
	let runs = 0;
	const periodic = new Periodic({
		every: 1,
		run: async () => {
			if (++runs === 1) throw new Error('the first');
		},
		failed: (error) => failures.push(error),
	});
	periodic.start();
	await until(() => runs >= 3);
	await periodic.stop();
	expect(failures).toEqual([new Error('the first')]);
});

test('When a run takes longer than the pause, then no other one begins meanwhile', async () => {
	let running = 0;
	let most = 0;
	let runs = 0;
	const periodic = new Periodic({
		every: 1,
		run: async () => {
			most = Math.max(most, ++running);
			for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
			running--;
			runs++;
		},
		failed: () => {},
	});
	periodic.start();
	await until(() => runs >= 3);
	await periodic.stop();
	expect(most).toBe(1);
});

test('When it is stopped, then the run under way is told and waited for, and none follows', async () => {
	let begun = 0;
	let ended = 0;
	const periodic = new Periodic({
		every: 1,
		run: async (signal) => {
			begun++;
			await new Promise((resolve) => signal.addEventListener('abort', resolve));
			await new Promise((resolve) => setImmediate(resolve));
			ended++;
		},
		failed: () => {},
	});
	periodic.start();
	await until(() => begun === 1);
	await periodic.stop();
	expect([begun, ended]).toEqual([1, 1]);
});

test('When the first run is put off, then stopping before it makes none', async () => {
	let runs = 0;
	const periodic = new Periodic({ every: 1, run: async () => runs++, failed: () => {} });
	periodic.start(60_000);
	await periodic.stop();
	expect(runs).toBe(0);
});
