import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'puppeteer-core';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import { findChromium, launch, open, type Watched } from '../reference/browser.ts';
import type { Client } from '../support/http-client.ts';
import { slotOn } from '../support/scheduling.ts';
import { newAccount, sharedProduct } from '../support/shared-product.ts';

const WIDE = 1280;
const NARROW = 390;
const CREATE_BOOKING = '#tag/bookings/POST/v1/bookings';
/** PICTURES=docs/pictures keeps the pictures that it takes: the README shows them. */
const KEPT = process.env.PICTURES;
/** Nightly each width in both schemes; else each width and each scheme */
const EVERY_SCREEN = process.env.EVERY_SCREEN === '1';
const SCREENS = [
	['wide', WIDE, 'light'],
	['narrow', NARROW, 'dark'],
] as const;
const OTHER_SCREENS = [
	['narrow', NARROW, 'light'],
	['wide', WIDE, 'dark'],
] as const;
const PATIENCE = 240_000; // ms; a browser on a busy machine

const chromium = findChromium();
const [onChromium, why] = chromium ? [describe, ''] : [describe.skip, ' (skipped: no Chromium is installed)'];

onChromium(`The page at /docs, in a real Chromium${why}`, () => {
	let browser: Browser;
	const pictures = KEPT ?? mkdtempSync(join(tmpdir(), 'slotwise-reference-'));
	const url = () => `${sharedProduct().urls[0]}/docs`;

	beforeAll(async () => {
		browser = await launch(chromium!);
	}, PATIENCE);
	afterAll(async () => {
		await browser.close();
		if (KEPT === undefined) rmSync(pictures, { recursive: true });
	});

	test.each([...SCREENS, ...(EVERY_SCREEN || KEPT ? OTHER_SCREENS : [])])(
		'When it opens on a %s screen (%i) that is %s, then it shows all, complains of nothing, asks nobody else and needs no scrolling aside',
		async (name, width, scheme) => {
			const { page, complaints, origins } = await open(browser, 'about:blank', width);
			await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
			await page.goto(url() + CREATE_BOOKING, { waitUntil: 'networkidle0' });
			await seen(page, 'Test Request');
			expect(complaints).toEqual([]);
			expect([...origins]).toEqual([new URL(url()).origin]);
			expect(await page.evaluate('document.body.classList.contains("dark-mode")')).toBe(scheme === 'dark');
			expect(await page.evaluate('document.scrollingElement.scrollWidth')).toBe(width);
			expect(await page.evaluate(CUT_OFF)).toEqual([]);
			await page.screenshot({ path: join(pictures, `${name}-${scheme}.png`) });
			await page.close();
		},
		PATIENCE,
	);

	/** Each goes on where the one before it was: to open the page is what costs most. */
	describe('What somebody does who has opened it', () => {
		let watched: Watched;
		beforeAll(async () => {
			watched = await open(browser, url(), WIDE);
		}, PATIENCE);
		afterAll(() => watched?.page.close());
		const goTo = (at: string) => watched.page.evaluate(`location.hash = ${JSON.stringify(at)}`);

		test(
			'When it opens, then the guides come first and unfolded, commands name this host, and no library is promised',
			async () => {
				const { page } = watched;
				await seen(page, `API=${sharedProduct().urls[0]}/v1`);
				const entries = await page.$$eval('.t-doc__sidebar a', (links) =>
					links.map(({ textContent }) => textContent.trim()),
				);
				expect(entries.slice(0, 12)).toEqual([
					'Introduction',
					'First booking',
					'Capacity',
					'Idempotency',
					'Versions',
					'Limits',
					'Webhooks',
					'Errors',
					'Calendar feeds',
					'Operations',
					'Services',
					'Time slots',
				]);
				const mark = 'getComputedStyle(document.querySelector(".t-doc__sidebar"), "::before").backgroundImage';
				expect(await page.evaluate(mark)).toContain('/docs/icon.svg');
				expect(await page.evaluate('document.body.innerText')).not.toMatch(/client libraries|9007199254740991/i);
			},
			PATIENCE,
		);

		test(
			'When what is sent to a webhook is read, then nobody is offered to ask for it',
			async () => {
				const { page } = watched;
				await goTo('#tag/webhooks/webhook/POST/booking.created');
				await seen(page, 'Id of the event, the same in every attempt');
				const offered = '[...document.querySelectorAll("[id*=\\"/webhook/\\"] .show-api-client-button")]';
				await page.waitForFunction(`${offered}.length > 0`);
				expect(await page.evaluate(`${offered}.filter((button) => button.checkVisibility()).length`)).toBe(0);
			},
			PATIENCE,
		);

		test(
			'When somebody chooses a language, then the snippets are in it',
			async () => {
				const { page } = watched;
				await goTo(CREATE_BOOKING);
				await seen(page, '--request POST');
				for (const [chosen, choice, shown] of [
					['Shell Curl', 'Fetch', 'fetch('], // JavaScript, which is TypeScript, too
					['JavaScript Fetch', 'Requests', 'requests.post('],
				] as const) {
					await page.locator(`button::-p-text(${chosen})`).click();
					await page.keyboard.type(choice);
					await page.locator(`[role=option]::-p-text(${choice})`).click();
					await seen(page, shown);
				}
			},
			PATIENCE,
		);

		test(
			'When somebody searches, then operations and guides are found',
			async () => {
				const { page, complaints } = watched;
				for (const [sought, found] of [
					['update a booking', 'Update, reschedule or cancel a booking'],
					['reschedule', 'Update, reschedule or cancel a booking'],
					['holiday', 'Create a date override'],
					['hold', 'Create a booking'],
					['capacity', 'Capacity'],
				] as const) {
					await page.keyboard.down('Control');
					await page.keyboard.press('k');
					await page.keyboard.up('Control');
					await page.locator('[role=dialog] input').fill(sought);
					await page.locator(`[role=dialog] ::-p-text(${found})`).wait();
					await page.keyboard.press('Escape');
				}
				expect(complaints).toEqual([]);
			},
			PATIENCE,
		);

		test(
			'When somebody enters a key and tries a booking, then it is booked',
			async () => {
				const client = newAccount();
				const { slot, date } = await slotOn(client);
				const { page, complaints, origins } = watched;
				await goTo(CREATE_BOOKING);
				await tryBooking(page, client, { date, time_slot_id: slot.id, customer_name: 'Ada Lovelace' });
				await seen(page, '201 Created');
				await page.screenshot({ path: join(pictures, 'try-it-out.png') });
				const query = { service_id: slot.service_id, page: 1, page_size: 10 };
				const { bookings } = (await client.get<{ bookings: Booking[] }>('/v1/bookings', { query })).mustBe(200);
				expect(bookings).toMatchObject([{ date, customer: { name: 'Ada Lovelace' } }]);
				expect(complaints).toEqual([]);
				expect([...origins]).toEqual([new URL(url()).origin]);
				expect(await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')).not.toContain(client.key);
			},
			PATIENCE,
		);
	});
});

/** Commands of guides and snippets that do not show whole */
const CUT_OFF = `[...document.querySelectorAll('.markdown pre, .scalar-code-block pre')]
	.flatMap((pre) => [pre, ...pre.children])
	.filter(({ scrollWidth, clientWidth }) => clientWidth > 0 && scrollWidth > clientWidth + 1)
	.map(({ innerText }) => innerText)`;

async function seen(page: Page, text: string): Promise<void> {
	await page.waitForFunction(`document.body.innerText.includes(${JSON.stringify(text)})`, { timeout: 90_000 });
}

async function tryBooking(page: Page, client: Client, body: object): Promise<void> {
	await page.locator('input[placeholder="Token"]').fill(client.key!);
	await page.locator('button[aria-label="Test Request(post /v1/bookings)"], ::-p-text(Test Request)').click();
	await page.locator('.scalar-client .cm-content ::-p-text(time_slot_id)').click();
	await page.keyboard.down('Control');
	await page.keyboard.press('a');
	await page.keyboard.up('Control');
	await page.keyboard.sendCharacter(JSON.stringify(body));
	await page.keyboard.down('Control');
	await page.keyboard.press('Enter');
	await page.keyboard.up('Control');
}
