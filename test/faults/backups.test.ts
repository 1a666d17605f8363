import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Manifest } from '../../ops/moving/backup-directory.ts';
import { ops, opsWith } from '../ops/ops.ts';
import { bound } from '../support/bound.ts';
import { fillProduct } from '../support/fill-product.ts';
import { Client } from '../support/http-client.ts';
import { type Product, startProduct } from '../support/product.ts';
import { newCustomer, type Place, slotOn, tryToBook } from '../support/scheduling.ts';

/** How many backups are begun, how many bookings there are before the first, and which of them meet the end of the process */
const BACKUPS = Number(process.env.BACKUPS ?? 3);
const BOOKINGS = Number(process.env.BACKUP_BOOKINGS ?? 3_000);
const isKilled = (number: number) => number % 3 === 2;
const LOOPS = 8;
/** Of an occurrence: few enough that what a full one costs is not taken for the backup's doing */
const PLACES = 500;

let product: Product;
let directory: string;
let client: Client;
let place: Place;
beforeAll(async () => {
	directory = mkdtempSync(join(tmpdir(), 'slotwise-backups-'));
	product = await startProduct({ form: 'embedded', keys: { Unlimited: 1 } });
	client = new Client(product.urls, product.keys.Unlimited[0]);
	await fillProduct(product, client, BOOKINGS);
	place = await slotOn(client, { max_bookings: PLACES });
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
				place = await slotOn(client, { max_bookings: PLACES }).catch(() => place); // it is full
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

async function backUpUnderLoad(): Promise<void> {
	const dataDir = join(product.directory, 'data');
	const [slotwise] = product.processes;
	let acknowledged = BOOKINGS;
	/** Longest waits of a creation, ms: beside each backup, and for as long without one right before it */
	const waits: { beside: number; without: number }[] = [];
	let finished = 0;
	let took = 3_000;
	for (let number = 0; number < BACKUPS; number++) {
		const where = join(directory, String(number));
		const load = traffic();
		await delay(300);
		load.told.longest = 0;
		await delay(took);
		const without = load.told.longest;
		const before = acknowledged + load.told.bookings;
		load.told.longest = 0;
		const begun = performance.now();
		const making = ops(dataDir, 'backup', where, '--json');
		if (isKilled(number)) {
			await delay(700 + Math.random() * 600); // the command takes most of a second to start
			slotwise!.kill('SIGKILL');
			await slotwise!.exited;
		}
		const { code, stdout, stderr } = await making;
		if (!isKilled(number)) {
			took = performance.now() - begun;
			waits.push({ beside: load.told.longest, without });
		}
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
			expect({ code, stderr, wasKilled: isKilled(number) }).toMatchObject({
				code: 1,
				stderr: expect.stringMatching(/^.+\.\n$/),
				wasKilled: true,
			});
			expect(checked.code).not.toBe(0);
		}
		rmSync(where, { recursive: true, force: true });
	}
	expect(finished).toBeGreaterThanOrEqual(Math.ceil((BACKUPS * 2) / 3));
	const listed = (which: 'beside' | 'without') => waits.map((each) => Math.round(each[which])).join(', ');
	process.stdout.write(
		`${finished} of ${BACKUPS} backups finished, ${acknowledged} bookings. Longest wait of a creation, ms: ` +
			`beside backups ${listed('beside')}; without, right before each: ${listed('without')}\n`,
	);
	const longest = Math.max(...waits.map(({ beside }) => beside));
	expect(longest).toBeLessThan(bound(100, 3_000));
}

test(
	`D1: When ${BACKUPS} backups are made under load, and the process is killed in some, then each finished one audits to 0`,
	backUpUnderLoad,
	300_000 + BACKUPS * 60_000,
);
