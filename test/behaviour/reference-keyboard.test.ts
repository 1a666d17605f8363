import { expect, test } from '@jest/globals';
import type { Browser, Page } from 'puppeteer-core';
import { NARROW, onChromium, PATIENCE, WIDE } from '../console/console-page.ts';
import { open } from '../reference/browser.ts';
import { violations } from '../reference/violations.ts';
import { sharedProduct } from '../support/shared-product.ts';

const UPDATE = 'Update, reschedule or cancel a booking';

onChromium('The page at /docs, with a screen reader or a keyboard', (browser) => {
	test.each([
		['wide', WIDE, 'light'],
		['narrow', NARROW, 'dark'],
	] as const)(
		'When it is judged on a %s screen (%i) that is %s, then axe finds nothing',
		async (name, width, scheme) => {
			const { page, complaints } = await reference(browser(), width, '#tag/bookings/POST/v1/bookings', scheme);
			await reads(page, 'Test Request');
			for (const [at, text] of [
				['tag/webhooks/webhook/POST/booking.created', 'Id of the event, the same in every attempt'],
				['models/SchedulePreview', 'SchedulePreview'],
			] as const) {
				await page.evaluate(`location.hash = ${JSON.stringify(at)}`);
				await reads(page, text);
			}
			if (name === 'narrow') await page.locator('::-p-aria([name="Open Menu"][role="button"])').click();
			expect(await violations(page)).toEqual([]);
			await page.evaluate(`[...document.querySelectorAll('button')]
				.find((button) => button.checkVisibility() && button.innerText.includes('Search')).click()`);
			await page.locator('[role=dialog] input').fill('reschedule');
			await page.locator('[role=option]').wait();
			expect(await violations(page)).toEqual([]);
			expect(complaints).toEqual([]);
			await page.close();
		},
		PATIENCE,
	);

	test(
		'When there is only a keyboard, then somebody searches, is led to the operation and through it, and sees where they are',
		async () => {
			const { page } = await reference(browser(), WIDE);
			await tabTo(page, 'Search');
			await page.keyboard.press('Enter');
			await page.waitForSelector('[role=dialog] input:focus');
			await page.keyboard.type('reschedule');
			await page.locator(`[role=option] ::-p-text(${UPDATE})`).wait();
			await press(page, 'ArrowDown', `document.querySelector('[role=option][aria-selected=true]')?.innerText`, UPDATE);
			await page.keyboard.press('Enter');
			await page.waitForFunction(`document.activeElement.matches('h3')`);
			expect(await page.evaluate(`document.activeElement.innerText`)).toContain(UPDATE);
			await isSeen(page);
			await tabTo(page, 'Code sample: Shell Curl');
			await tabTo(page, 'Test Request');
			await page.keyboard.press('Enter');
			await page.waitForSelector('.app-exit-button:focus');
			await tabTo(page, 'Authentication');
			await page.keyboard.press('Escape');
			await page.waitForSelector('.show-api-client-button:focus');
			await tabTo(page, 'Copy JSON code');
			await page.close();
		},
		PATIENCE,
	);

	test(
		'When somebody follows a link at the side with Enter, then they are at what it names',
		async () => {
			const { page } = await reference(browser(), WIDE);
			await tabTo(page, 'Errors');
			await page.keyboard.press('Enter');
			await page.waitForFunction(`document.activeElement.matches('h1, h2, h3')`);
			expect(await page.evaluate(`document.activeElement.innerText`)).toContain('Errors');
			await isSeen(page);
			await page.close();
		},
		PATIENCE,
	);
});

async function reference(browser: Browser, width: number, at = '', scheme: 'light' | 'dark' = 'light') {
	const watched = await open(browser, 'about:blank', width);
	await watched.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
	await watched.page.goto(`${sharedProduct().urls[0]}/docs${at}`, { waitUntil: 'networkidle0' });
	await watched.page.waitForSelector('.t-doc__sidebar a');
	return watched;
}

async function reads(page: Page, text: string): Promise<void> {
	await page.waitForFunction(`document.body.innerText.includes(${JSON.stringify(text)})`);
}

const NAME = `(document.activeElement.ariaLabel ?? document.activeElement.innerText)`;

/** Presses Tab until what has the focus is called so; each stop on the way is seen, once what moves has come to rest. */
async function tabTo(page: Page, name: string): Promise<void> {
	await press(page, 'Tab', `document.activeElement.matches('body') ? '' : ${NAME}`, name, () => isSeen(page));
}

async function isSeen(page: Page): Promise<void> {
	await page.waitForFunction(`${UNSEEN} === ''`, { timeout: 5_000 }).catch(async () => {
		expect(await page.evaluate(UNSEEN)).toBe('');
	});
}

async function press(page: Page, key: 'Tab' | 'ArrowDown', what: string, wanted: string, each?: () => Promise<void>) {
	for (let presses = 0; presses < 80; presses++) {
		await page.keyboard.press(key);
		await each?.();
		if (String(await page.evaluate(what)).includes(wanted)) return;
	}
	throw new Error(`${key} does not lead to ${wanted}`);
}

/** The name of what has the focus, where it is out of sight or looks as it does without; else nothing */
const UNSEEN = `(() => {
	const { activeElement: it } = document;
	if (it.matches('body')) return '';
	const shown = it.matches('input[type=checkbox]') ? it.closest('label') : it;
	const { top, bottom, width } = shown.getBoundingClientRect();
	const { outlineStyle, boxShadow } = getComputedStyle(shown);
	const isFramed = outlineStyle !== 'none' || it.matches('input[type=search], .cm-content'); // a caret
	return width > 0 && bottom > 0 && top < innerHeight && isFramed ? '' : it.outerHTML.slice(0, 300);
})()`;
