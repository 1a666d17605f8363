import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from '@jest/globals';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import { Child } from '../support/child.ts';
import { freePort } from '../support/free-port.ts';
import { Client } from '../support/http-client.ts';
import { until } from '../support/until.ts';
import { onChromium, openConsole, PATIENCE } from './console-page.ts';

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '../..');
const directory = mkdtempSync(join(tmpdir(), 'slotwise-first-booking-'));

afterAll(() => rmSync(directory, { recursive: true, force: true }));

/**
 * What the README says, and then only what the screen offers. It prints how long each step took and how many clicks there
 * were; `FROM_CLONE=1` begins with a clone and its packages.
 */
onChromium('Somebody who has just found Slotwise', (browser) => {
	test(
		'When they start it and open the console with the key that it prints, then six clicks make a service and a booking',
		async () => {
			const steps: string[] = [];
			let began = performance.now();
			const lap = (step: string) => {
				steps.push(`${step} ${((performance.now() - began) / 1_000).toFixed(1)} s`);
				began = performance.now();
			};

			let checkout = ROOT;
			if (process.env.FROM_CLONE === '1') {
				checkout = join(directory, 'slotwise');
				await run('git', ['clone', '--quiet', ROOT, checkout]);
				lap('git clone');
				await run('npm', ['ci'], { cwd: checkout });
				lap('npm ci');
			}
			const env = { PATH: process.env.PATH ?? '', DATA_DIR: join(directory, 'data'), ADMIN_PORT: '0' };
			const options = { cwd: checkout, env: { ...env, PORT: String(await freePort()) } };
			const product = new Child('npm start', process.execPath, ['main.js'], options); // what it runs
			let printed = '';
			product.onLine((line) => {
				printed += `${line}\n`;
			});
			try {
				const [, url] = await until(() => /(http:\S+)\/console/.exec(printed), {
					timeout: PATIENCE,
					what: 'an address',
				});
				const [key] = /slw_\w+/.exec(printed)!;
				expect(printed).not.toContain('stored data'); // nothing is stored yet
				lap('npm start');

				const console = await openConsole(browser(), { url: url! });
				let clicks = 0;
				const click = async (selector: string) => {
					clicks++;
					await console.page.locator(selector).click();
				};
				lap('console opened');
				await console.page.keyboard.type(key); // each form has the focus in its first field
				await click('::-p-aria([name="Sign in"][role="button"])');
				await console.reads('There is nothing to book yet');
				lap('signed in');
				await click('::-p-aria([name="Create the first service"][role="button"])');
				await console.page.waitForSelector('dialog[open]');
				await console.page.keyboard.type('Piano lesson');
				await click('dialog[open] button[type=submit]');
				await console.page.waitForSelector('.occurrence');
				lap('service made');
				await click('.occurrence:not(.past)');
				await click('::-p-aria([name="Book"][role="button"])');
				await console.page.waitForSelector('dialog[open]');
				await console.page.keyboard.type('Ada Lovelace');
				await click('dialog[open] button[type=submit]');
				await console.reads('Ada Lovelace');
				lap('booked');
				steps.push(`${clicks} clicks`);
				process.stdout.write(`${steps.join(', ')}\n`);

				const query = { updated_since: '2020-01-01T00:00:00Z', page: 1, page_size: 10 };
				const { bookings } = (
					await new Client([url!], key).get<{ bookings: Booking[] }>('/v1/bookings', { query })
				).mustBe(200);
				expect(bookings).toMatchObject([{ status: 'confirmed', customer: { name: 'Ada Lovelace' } }]);
				expect(Date.parse(bookings[0]!.starts_at)).toBeGreaterThan(Date.now());
				expect(clicks).toBe(6);
				expect(console.complaints).toEqual([]);
				await console.close();
			} finally {
				await product.stop();
			}
		},
		5 * PATIENCE,
	);
});
