import { afterAll, beforeAll, describe } from '@jest/globals';
import type { Browser, KeyInput, Page } from 'puppeteer-core';
import { findChromium, launch, open, type Watched } from '../reference/browser.ts';
import type { Client } from '../support/http-client.ts';
import { sharedProduct } from '../support/shared-product.ts';
import { until } from '../support/until.ts';

export const WIDE = 1280;
export const NARROW = 390;
/** ms that a test in a browser may take on a busy machine */
export const PATIENCE = 240_000;

const chromium = findChromium();

/** Tests in a real Chromium, both forms; skipped, visibly, where none is installed. */
export function onChromium(what: string, tests: (browser: () => Browser) => void): void {
	const run = chromium === undefined ? describe.skip : describe;
	run(chromium === undefined ? `${what} (skipped: no Chromium is installed)` : what, () => {
		let browser: Browser;
		beforeAll(async () => {
			browser = await launch(chromium!);
		}, PATIENCE);
		afterAll(() => browser.close());
		tests(() => browser);
	});
}

export interface Options {
	width?: number;
	/** What comes behind `#`, such as `/webhooks` */
	at?: string;
	url?: string;
	scheme?: 'light' | 'dark';
	/** In a browser that has nothing of it yet */
	isFirst?: boolean;
}

/** The console in a tab of its own, before anybody has signed in */
export async function openConsole(browser: Browser, options: Options = {}): Promise<Console> {
	const { width = WIDE, at = '', url = sharedProduct().urls[0]!, scheme = 'light', isFirst } = options;
	const watched = await open(browser, 'about:blank', width, isFirst);
	await watched.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
	await watched.page.goto(`${url}/console${at && `#${at}`}`, { waitUntil: 'networkidle0' });
	return new Console(watched);
}

export async function signIn(browser: Browser, client: Client, options?: Options): Promise<Console> {
	const console = await openConsole(browser, options);
	await console.signIn(client.key!);
	await console.sees('Sign out', 'button');
	return console;
}

/** What somebody does with the console. Everything is found as a screen reader finds it: by role and name. */
export class Console {
	readonly page: Page;
	readonly #watched: Watched;

	constructor(watched: Watched) {
		this.page = watched.page;
		this.#watched = watched;
	}

	/** What the browser complained about, but for requests that were refused, which it always tells */
	get complaints(): string[] {
		return this.#watched.complaints.filter((text) => !text.startsWith('Failed to load resource'));
	}

	get origins(): string[] {
		return [...this.#watched.origins];
	}

	/** Presses `Sign in` with a key, where that is asked for: at first, after a reload, and where another key has ended. */
	async signIn(key: string): Promise<void> {
		await this.fill('API key', key);
		await this.press('Sign in');
	}

	/**
	 * Presses it; once more where it moved away under the mouse, because what was pressed before redraws the page.
	 * @param unless a text that comes by itself some time, and makes it needless
	 */
	async press(name: string, { role = 'button', unless }: { role?: string; unless?: string } = {}): Promise<void> {
		const target = this.page.locator(`::-p-aria([name="${name}"][role="${role}"])`);
		await until(async () => {
			if (unless !== undefined && (await this.page.evaluate(isThere(unless)))) return true;
			const element = await (unless === undefined ? target : target.setTimeout(1_000)).waitHandle();
			const heard = await element.evaluateHandle((node: unknown) => {
				const told = { is: false };
				const listener = () => {
					told.is = true;
				};
				(node as EventTarget).addEventListener('click', listener, { once: true, capture: true });
				return told;
			});
			await element.asLocator().setTimeout(10_000).click();
			return heard.evaluate(({ is }) => is).catch(() => true); // it led to another page
		});
	}

	async follow(name: string): Promise<void> {
		await this.press(name, { role: 'link' });
	}

	/** Fills in a field, or chooses the value of one with choices. */
	async fill(label: string, text: string): Promise<void> {
		// One that is drawn anew meanwhile is looked for again.
		await until(async () => {
			for (const one of await this.page.$$(`::-p-aria([name="${label}"])`)) {
				if (!(await one.evaluate((element: unknown) => 'value' in (element as object)))) continue; // a cell has its field's name
				await one.asLocator().setTimeout(10_000).fill(text);
				return true;
			}
			return false;
		});
	}

	async type(...keys: KeyInput[]): Promise<void> {
		for (const key of keys) await this.page.keyboard.press(key);
	}

	/** Waits until something with this name is there. */
	async sees(name: string, role: string): Promise<void> {
		await this.page.locator(`::-p-aria([name="${name}"][role="${role}"])`).wait();
	}

	/** Waits until a text is there. */
	async reads(text: string): Promise<void> {
		await this.page.waitForFunction(isThere(text), { polling: 50 });
	}

	async isWithout(text: string): Promise<void> {
		await this.page.waitForFunction(`!${isThere(text)}`, { polling: 50 });
	}

	/** Waits until nothing is being loaded or drawn. */
	async settles(): Promise<void> {
		await this.page.waitForNetworkIdle({ idleTime: 150, concurrency: 2 }); // two long polls may be under way
		await this.page.waitForFunction('!document.querySelector(".loading, .is-loading")', { polling: 50 });
	}

	/** The text of the first element of a selector, as soon as there is one */
	async text(selector: string): Promise<string> {
		const found = await this.page.locator(selector).waitHandle();
		return found.evaluate((element: unknown) => (element as { textContent: string }).textContent);
	}

	async close(): Promise<void> {
		await this.page.close();
	}
}

/** An expression that the page evaluates: whether a text is there */
function isThere(text: string): string {
	return `document.body.innerText.includes(${JSON.stringify(text)})`;
}
