import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Path of an installed Chromium; `CHROMIUM` names another one. Undefined where there is none. */
export function findChromium(): string | undefined {
	if (process.env.CHROMIUM) return process.env.CHROMIUM;
	const directories = (process.env.PATH ?? '').split(delimiter);
	return directories.flatMap((directory) => NAMES.map((name) => join(directory, name))).find(canRun);
}

function canRun(file: string): boolean {
	try {
		accessSync(file, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}

/** No name resolves in it: a page that asks another host is seen, and gets nothing. */
export function launch(executablePath: string): Promise<Browser> {
	const args = [
		'--no-sandbox',
		'--disable-gpu',
		'--disable-dev-shm-usage',
		'--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
	];
	return puppeteer.launch({ executablePath, args, headless: true });
}

/** A page that keeps what it complained about and whom it asked. */
export interface Watched {
	page: Page;
	/** Errors and warnings of the console, and errors that nobody caught */
	complaints: string[];
	/** Origins that it asked */
	origins: Set<string>;
}

/**
 * Opens a tab. Those of a browser have its cache in common, for without it each costs three times as much.
 * @param isFirst as somebody's who was never here before
 */
export async function open(browser: Browser, url: string, width: number, isFirst = false): Promise<Watched> {
	const page = await (isFirst ? await browser.createBrowserContext() : browser).newPage();
	page.setDefaultTimeout(90_000); // beside other load
	const complaints: string[] = [];
	const origins = new Set<string>();
	page.on('console', (message) => {
		if (['error', 'warn'].includes(message.type())) complaints.push(message.text());
	});
	page.on('pageerror', (error) => complaints.push(String(error)));
	page.on('request', (request) => {
		if (/^https?:/.test(request.url())) origins.add(new URL(request.url()).origin);
	});
	await page.setViewport({ width, height: 900 });
	await page.goto(url, { waitUntil: 'networkidle0' });
	return { page, complaints, origins };
}
