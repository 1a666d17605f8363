import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { arrivals } from '../../bench/load/arrivals.ts';
import { weeksUsed } from '../../bench/load/bookings.ts';
import { openLoop } from '../../bench/load/open-loop.ts';
import { type Recipe, requestsOf } from '../../bench/load/recipes.ts';
import type { Report } from '../../bench/report.ts';
import { median, percentile, slope } from '../../bench/statistics.ts';

const MAIN = resolve(import.meta.dirname, '../../bench/main.ts');
const run = promisify(execFile);

test('When one measure is asked for, then a run prints its ratio and writes it as JSON', async () => {
	const directory = mkdtempSync(join(tmpdir(), 'slotwise-test-'));
	try {
		const json = join(directory, 'report.json');
		const args = [MAIN, 'embedded', '--quick', '--only', 'read-booking', '--json', json];
		const { stdout } = await run(process.execPath, args);
		const { measures } = JSON.parse(readFileSync(json, 'utf8')) as Report;
		expect(measures).toHaveLength(1);
		const [{ name, ratio, ours, baseline }] = measures as [Report['measures'][number]];
		expect(name).toBe('read-booking');
		expect(ratio.median).toBeCloseTo(ours / baseline.value, 6);
		expect(ratio.median).toBeGreaterThan(0);
		expect(stdout).toContain(`| ${ratio.median.toFixed(2)} |`);
	} finally {
		rmSync(directory, { recursive: true, force: true });
	}
});

test('When a word is wrong, then the run says which ones there are and ends with 78', async () => {
	const failure = run(process.execPath, [MAIN, 'embeded']);
	await expect(failure).rejects.toMatchObject({ code: 78, stderr: expect.stringContaining('npm run bench') });
});

test('When a server holds its answers back, then everybody who was due meanwhile has waited', async () => {
	const HELD = 400; // ms
	let held = false;
	const server = createServer((_, response) => {
		const answer = () => response.writeHead(200, { 'Content-Length': 2 }).end('{}');
		if (!held) setTimeout(answer, HELD);
		else answer();
		held = true;
	});
	await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
	try {
		const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
		const recipe: Recipe = { kind: 'same', method: 'GET', path: '/' };
		const load = { url, recipe, rate: 200, seconds: HELD / 1_000 + 0.2, outstanding: 1, seed: 1 };
		const figures = await openLoop(load);
		const due = arrivals(load.rate, load.seconds, load.seed);
		expect(figures.intended).toBe(due.length);
		expect(figures.answered + figures.unanswered).toBe(due.length);
		// One at a time: whoever was due while the first one was held has waited for the rest of that time at least.
		const waited = [...due].map((at) => Math.max(0, due[0]! + HELD - at));
		expect(figures.p50).toBeGreaterThanOrEqual(percentile(waited, 50) - 1);
	} finally {
		server.closeAllConnections();
		server.close();
	}
});

test('When bookings are spread, then no slot and date gets more than it has room for, nor one customer two', () => {
	const spread = { slots: [3, 5, 8], weeks: 2, perPlace: 4 };
	const recipe = { kind: 'bookings', path: '/v1/bookings', firstDate: '2027-01-04', tag: 'a', ...spread } as const;
	const { next } = requestsOf(recipe, 'http://127.0.0.1:1', undefined);
	const count = 3 * 2 * 4 * 5;
	const places = new Map<string, number>();
	const customers = new Set<string>();
	for (let n = 0; n < count; n++) {
		const body = JSON.parse(next(n).split('\r\n\r\n')[1]!);
		const place = `${body.time_slot_id} ${body.date}`;
		places.set(place, (places.get(place) ?? 0) + 1);
		customers.add(body.customer_email);
	}
	expect(new Set(places.values())).toEqual(new Set([4]));
	expect(customers.size).toBe(count);
	expect(new Set([...places.keys()].map((place) => place.split(' ')[1])).size).toBe(weeksUsed(spread, count));
});

test('When values are known, then so are median, percentile and slope', () => {
	expect(median([4, 1, 3, 2])).toBe(2.5);
	expect(percentile([5, 1, 4, 2, 3], 99)).toBe(5);
	expect(slope([0, 1, 2, 3].map((x) => [x, 7 + 2 * x]))).toBeCloseTo(2, 9);
});
