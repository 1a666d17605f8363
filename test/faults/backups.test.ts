import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Manifest } from '../../ops/moving/backup-directory.ts';
import { ops, opsWith } from '../ops/ops.ts';
import { bound } from '../support/bound.ts';
import { Client } from '../support/http-client.ts';
import { type Product, startProduct } from '../support/product.ts';
import { newCustomer, type Place, slotOn, tryToBook } from '../support/scheduling.ts';

/** How many backups are begun, how many bookings there are before the first, and which of them meet the end of the process */
const BACKUPS = Number(process.env.BACKUPS ?? 6);
const BOOKINGS = Number(process.env.BACKUP_BOOKINGS ?? 3_000);
const isKilled = (number: number) => number % 3 === 2;
const LOOPS = 8;

let product: Product;
let directory: string;
let client: Client;
let place: Place;
beforeAll(async () => {
	directory = mkdtempSync(join(tmpdir(), 'slotwise-backups-'));
	product = await startProduct({ form: 'embedded', keys: { Unlimited: 1 } });
	client = new Client(product.urls, product.keys.Unlimited[0]);
	place = await slotOn(client, { max_bookings: 10_000 });
});
afterAll(async () => {
	await product?.stop();
	rmSync(directory, { recursive: true, force: true });
});

/** Books until it is told to end; what is not answered, because the process was killed, is nobody's. */
function traffic() {
	const told = { bookings: 0, longest: 0 };
	let isOver = false;
	const attempt = async () => tryToBook(client, place, newCustomer());
	const loop = async () => {
		while (!isOver) {
			const from = performance.now();
			const answer = await attempt().catch(() => undefined);
			if (answer === undefined) {
				await delay(20);
				continue;
			}
			if (answer.status === 400)
				place = await slotOn(client, { max_bookings: 10_000 }).catch(() => place); // it is full
			else if (answer.status < 500) answer.mustBe(201);
			if (answer.status === 201) told.bookings++;
			told.longest = Math.max(told.longest, performance.now() - from);
		}
	};
	const loops = Promise.all(Array.from({ length: LOOPS }, loop));
	return {
		told,
		async end() {
			isOver = true;
			await loops;
		},
	};
}

test(`D1: When ${BACKUPS} backups are made under load, and the process is killed in some, then each finished one audits to 0`, async () => {
	const dataDir = join(product.directory, 'data');
	const [slotwise] = product.processes;
	const filling = traffic();
	while (filling.told.bookings < BOOKINGS) await delay(50);
	await filling.end();
	let acknowledged = filling.told.bookings;
	let [finished, longest] = [0, 0];
	for (let number = 0; number < BACKUPS; number++) {
		const where = join(directory, String(number));
		const load = traffic();
		await delay(300);
		const before = acknowledged + load.told.bookings;
		load.told.longest = 0;
		const making = ops(dataDir, 'backup', where, '--json');
		if (isKilled(number)) {
			await delay(700 + Math.random() * 600); // the command takes most of a second to start
			slotwise!.kill('SIGKILL');
			await slotwise!.exited;
		}
		const { code, stdout, stderr } = await making;
		if (!isKilled(number)) longest = Math.max(longest, load.told.longest);
		if (isKilled(number)) {
			await slotwise!.restart();
			await slotwise!.ready();
		}
		await load.end();
		acknowledged += load.told.bookings;
		const checked = await opsWith({}, directory, ['restore-check', where]);
		if (code === 0) {
			finished++;
			expect(checked).toMatchObject({ code: 0, stdout: expect.stringContaining('0 findings') });
			expect((JSON.parse(stdout) as Manifest).counts.bookings).toBeGreaterThanOrEqual(before);
		} else {
			expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringMatching(/^.+\.\n$/) });
			expect(isKilled(number)).toBe(true);
			expect(checked.code).not.toBe(0);
		}
		rmSync(where, { recursive: true, force: true });
	}
	expect(finished).toBeGreaterThanOrEqual(Math.ceil((BACKUPS * 2) / 3));
	const figures = `longest wait of a creation ${Math.round(longest)} ms, ${acknowledged} bookings`;
	process.stdout.write(`${finished} of ${BACKUPS} backups finished, ${figures}\n`);
	expect(longest).toBeLessThan(bound(100, 3_000));
});
