import { describe, expect, test } from '@jest/globals';
import { type Console, NARROW, onChromium, openConsole, PATIENCE, signIn, WIDE } from '../../console/console-page.ts';
import { violations } from '../../reference/violations.ts';
import { dateOn } from '../../support/calendar.ts';
import type { Client } from '../../support/http-client.ts';
import { book, bookingBody, newCustomer, newFeed, overrideDates, slotOn } from '../../support/scheduling.ts';
import { anonymous, newAccount } from '../../support/shared-product.ts';

const FILES = ['/console', '/console/console.js', '/console/console.css', '/console/inter.woff2', '/docs/icon.svg'];
/** A telephone of long ago, or a wide screen at 400 % (WCAG 1.4.10); a wide one at 150 % */
const [SMALLEST, MIDDLE] = [320, 853];
/** Nightly each of three widths in both schemes; else each width and each scheme */
const EVERY_SCREEN = process.env.EVERY_SCREEN === '1';
const SCREENS = [
	['wide', WIDE, 'light'],
	['narrow', NARROW, 'dark'],
	['smallest', SMALLEST, 'light'],
] as const;
const OTHER_SCREENS = [
	['wide', WIDE, 'dark'],
	['narrow', NARROW, 'light'],
] as const;
/** Of one service, far more than a page has; nightly 10,000 */
const BOOKINGS = Number(process.env.CONSOLE_BOOKINGS ?? 1_200);
const ALL = BOOKINGS.toLocaleString('en');

describe('The files of the console', () => {
	const get = (path: string) => anonymous().request('GET', path, { headers: { 'accept-encoding': 'gzip' } });

	test('When a browser opens it, then it loads at most 200 KB', async () => {
		let bytes = 0;
		for (const path of FILES) {
			const { status, headers } = await get(path);
			expect([path, status]).toEqual([path, 200]);
			bytes += Number(headers['content-length']);
		}
		expect(bytes).toBeLessThanOrEqual(200_000);
		expect(bytes).toBeGreaterThan(50_000);
	});

	test('When a browser asks what the page may do, then it is nothing inline, nothing evaluated and no other host', async () => {
		const page = await anonymous().get('/console');
		const policy = String(page.headers['content-security-policy']);
		expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
		expect(policy).toContain("require-trusted-types-for 'script'");
		expect(policy).not.toMatch(/unsafe|https?:|\*|data:/);
		expect(page.text).not.toMatch(/<script(?! src)|<style|\son\w+=|\sstyle=/);
		const linked = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path);
		expect(FILES).toEqual(expect.arrayContaining(linked.filter((path) => path !== '/docs')));
	});

	test('When a browser comes back, then it has what it had', async () => {
		for (const path of FILES) {
			const { headers } = await get(path);
			const again = await anonymous().get(path, { headers: { 'if-none-match': headers.etag! } });
			expect([path, again.status, again.text]).toEqual([path, 304, '']);
		}
	});
});

/** A service with bookings of every kind, a closed day and a webhook: what each page has something to show of */
async function furnished(client: Client) {
	const place = await slotOn(client, { max_bookings: 3 });
	const { id } = await book(client, place, { customer_name: 'Ada Lovelace', message: 'Window seat' });
	(await client.patch(`/v1/bookings/${id}`, { status: 'confirmed' })).mustBe(200);
	const other = await book(client, place, newCustomer());
	(await client.patch(`/v1/bookings/${other.id}`, { status: 'cancelled', cancel_reason: 'Ill' })).mustBe(200);
	await overrideDates(client, place.service.id);
	await newFeed(client, place.service.id);
	const webhook = (await client.post<{ id: number }>('/v1/webhooks', { url: 'http://127.0.0.1:9/' })).mustBe(201);
	return [
		`/calendar?date=${place.date}`,
		`/calendar?date=${place.date}&show=bookings`,
		`/calendar?date=${place.date}&span=month`,
		`/calendar?date=${place.date}&slot=${place.slot.id}&on=${place.date}`,
		`/calendar?date=${place.date}&booking=${id}`,
		'/bookings',
		'/schedule',
		'/closures',
		'/feeds',
		'/customers',
		'/activity',
		`/webhooks?webhook=${webhook.id}`,
		'/usage',
	];
}

onChromium('The pages of the console', (browser) => {
	test.each([...SCREENS, ...(EVERY_SCREEN ? OTHER_SCREENS : [])])(
		'When they are judged on a %s screen (%i) that is %s, then axe finds nothing, and nothing needs scrolling aside',
		async (_, width, scheme) => {
			const client = newAccount();
			const console = await openConsole(browser(), { width, scheme });
			expect(await violations(console.page)).toEqual([]);
			await console.signIn(client.key!);
			await console.reads('There is nothing to book yet');
			expect(await violations(console.page)).toEqual([]);
			const pages = await furnished(client);
			await console.page.reload();
			await console.signIn(client.key!);
			for (const at of pages) {
				await console.page.evaluate(`location.hash = ${JSON.stringify(at)}`);
				await console.settles();
				if (at.startsWith('/calendar')) await console.page.waitForSelector('.occurrence, .booking-event');
				expect([at, await violations(console.page)]).toEqual([at, []]);
				expect([at, await console.page.evaluate('document.scrollingElement.scrollWidth')]).toEqual([at, width]);
				expect([at, await console.page.evaluate(OUT_OF_SIGHT)]).toEqual([at, []]);
			}
			expect(console.complaints).toEqual([]);
			await console.close();
		},
		PATIENCE,
	);

	test(
		'When it is opened for the first time, then at most 200 KB come, and but for the feed nothing is asked for before a calendar is seen',
		async () => {
			const client = newAccount();
			const { service } = await slotOn(client);
			const console = await openConsole(browser(), { isFirst: true });
			const firstPaint = await console.page.evaluate(
				`performance.getEntriesByName('first-contentful-paint')[0].startTime`,
			);
			await console.fill('API key', client.key!);
			await console.page.evaluate(`globalThis.pressed = performance.now()`);
			await console.press('Sign in');
			await console.page.waitForSelector('.occurrence');
			const shown = await console.page.evaluate(`performance.now() - globalThis.pressed`);
			const loaded = (await console.page.evaluate(`[
				...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource'),
			].map(({ name, transferSize }) => [new URL(name).pathname, transferSize])`)) as [string, number][];
			const bytes = loaded.reduce((sum, [, size]) => sum + size, 0);
			process.stdout.write(
				`first paint ${Number(firstPaint).toFixed(0)} ms, the calendar ${Number(shown).toFixed(0)} ms after signing in, ${bytes} bytes\n`,
			);
			expect(bytes).toBeLessThanOrEqual(200_000);
			const asked = loaded.map(([path]) => path).filter((path) => path.startsWith('/v1'));
			expect(asked.filter((path) => path !== '/v1/events')).toEqual([
				'/v1/usage',
				'/v1/services',
				`/v1/services/${service.id}/availability`,
			]);
			await console.close();
		},
		PATIENCE,
	);

	test.each([WIDE, MIDDLE, SMALLEST])(
		'When dialogs are judged at %i, then axe finds nothing, and nothing needs scrolling aside',
		async (width) => {
			const client = newAccount();
			const at = await furnished(client);
			const console = await signIn(browser(), client, { at: at[3]!, width });
			for (const [page, button] of [
				[at[3]!, 'Book'],
				[at[4]!, 'Move…'],
				[at[4]!, 'Cancel…'],
				['/webhooks', 'New webhook'],
				['/calendar', 'New service'],
			] as const) {
				await console.page.evaluate(`location.hash = ${JSON.stringify(page)}`);
				await console.press(button);
				await console.page.waitForSelector('dialog[open]');
				await console.settles();
				expect([button, await violations(console.page)]).toEqual([button, []]);
				const aside = `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('dialog[open]'))`;
				expect([button, await console.page.evaluate(aside)]).toEqual([button, 0]);
				await console.type('Escape');
				await console.page.waitForSelector('dialog[open]', { hidden: true });
			}
			await console.close();
		},
		PATIENCE,
	);

	test(
		'When a panel is closed by Escape, then what opened it has the focus again',
		async () => {
			const client = newAccount();
			const place = await slotOn(client);
			await book(client, place, { customer_name: 'Ada Lovelace' });
			const console = await signIn(browser(), client, { at: `/calendar?date=${place.date}` });
			await console.settles();
			await console.page.focus('.occurrence');
			await console.type('Enter');
			await console.follow('Ada Lovelace pending');
			await console.sees('Ada Lovelace', 'heading');
			await console.type('Escape');
			await console.page.waitForSelector('.panel', { hidden: true });
			expect(await console.page.evaluate(`document.activeElement.matches('.occurrence')`)).toBe(true);
			await console.close();
		},
		PATIENCE,
	);

	test(
		'When there is only a keyboard, then somebody signs in, books and confirms with it',
		async () => {
			const client = newAccount();
			const { date } = await slotOn(client, { max_bookings: 2 });
			const console = await openConsole(browser(), { at: `/calendar?date=${date}` });
			await console.page.keyboard.type(client.key!); // the field has the focus
			await console.type('Enter');
			await console.sees('Sign out', 'button');
			await console.page.waitForSelector('.occurrence');
			await tabTo(console, '0 of 2 booked');
			await console.type('Enter');
			await console.sees('09:00 – 10:00', 'heading');
			await tabTo(console, 'Book');
			await console.type('Enter');
			await console.page.waitForSelector('dialog[open]');
			await tabTo(console, 'Name');
			await console.page.keyboard.type('Katherine Johnson');
			await tabTo(console, 'Status');
			await console.page.keyboard.type('Pen');
			await tabTo(console, 'Book');
			await console.type('Enter');
			await console.isWithout('New booking');
			await console.reads('Katherine Johnson');
			await tabTo(console, 'Katherine Johnson');
			await console.type('Enter');
			await console.sees('Katherine Johnson', 'heading');
			await tabTo(console, 'Confirm');
			await console.type('Enter');
			await console.reads('Confirmed.');
			await tabTo(console, 'Move…'); // the focus stayed in the panel
			await console.type('Escape');
			await console.page.waitForSelector('.panel', { hidden: true });
			await console.close();
		},
		PATIENCE,
	);

	test(
		`When a service has ${ALL} bookings, then its list is a page of 50, and so is the next one`,
		async () => {
			const client = newAccount();
			const place = await slotOn(client, { max_bookings: BOOKINGS });
			for (let number = 0; number < BOOKINGS; number += 25) {
				const some = Array.from({ length: 25 }, () => client.post('/v1/bookings', bookingBody(place)));
				for (const answer of await Promise.all(some)) answer.mustBe(201);
			}
			const console = await signIn(browser(), client, { at: '/bookings' });
			await console.reads(`1 – 50 of ${ALL}`);
			expect(await console.page.$$eval('tbody tr', (rows) => rows.length)).toBe(50);
			await console.press('Next page');
			await console.reads(`51 – 100 of ${ALL}`);
			await console.page.evaluate(`location.hash = '/calendar?slot=${place.slot.id}&on=${place.date}'`);
			await console.reads(`${ALL} of ${ALL}`);
			await console.settles();
			expect(await console.page.$$eval('.rows li', (rows) => rows.length)).toBe(50);
			await console.close();
		},
		2 * PATIENCE,
	);
});

/** Texts that would run, or break out of what they are in, wherever they were taken for markup. */
const HOSTILE = [
	'<img src=x onerror="document.title=`hit`">',
	'<script>document.title="hit"</script>',
	'"><svg onload=document.title="hit">',
	"'-document.title='hit'-'",
	'javascript:document.title="hit"',
	'{{constructor.constructor("document.title=`hit`")()}}',
	'</title><style>*{display:none}</style>',
	'\u202Egnp.exe <b>bold</b>',
	'__proto__',
	'{"__html":"<img src=x onerror=document.title=`hit`>"}',
];

onChromium('Hostile texts in the console', (browser) => {
	test(
		'When customers send markup in every text, then it is shown as text everywhere, and nothing runs',
		async () => {
			const client = newAccount();
			const place = await slotOn(client, { max_bookings: 99 });
			const name = (index: number) => HOSTILE[index % HOSTILE.length]!;
			(await client.patch(`/v1/services/${place.service.id}`, { name: HOSTILE[0], description: HOSTILE[1] })).mustBe(
				200,
			);
			const ids: number[] = [];
			for (const [index, text] of HOSTILE.entries()) {
				const texts = { customer_name: text, message: name(index + 1), metadata: { [`<b>${index}`]: name(index + 2) } };
				const { id } = await book(client, place, texts);
				ids.push(id);
				const cancelled = { status: 'cancelled', cancel_reason: name(index + 3) };
				if (index % 2 === 0) (await client.patch(`/v1/bookings/${id}`, cancelled)).mustBe(200);
			}
			await overrideDates(client, place.service.id, { reason: HOSTILE[0] });
			const webhook = { url: 'http://127.0.0.1:9/?"><img/src=x/onerror=alert(1)>', description: HOSTILE[0] };
			(await client.post('/v1/webhooks', webhook)).mustBe(201);

			const console = await signIn(browser(), client, { at: `/calendar?date=${place.date}` });
			const occurrence = `slot=${place.slot.id}&on=${place.date}`;
			const pages = [
				`/calendar?date=${dateOn(1)}&show=bookings`,
				`/calendar?date=${dateOn(1)}&show=bookings&span=month`,
				`/calendar?${occurrence}`,
				...ids.map((id) => `/calendar?booking=${id}`),
				'/bookings',
				'/closures',
				'/customers',
				'/webhooks',
				'/activity',
			];
			for (const at of pages) {
				await console.page.evaluate(`location.hash = ${JSON.stringify(at)}`);
				await console.settles();
				await console.reads(at.startsWith('/calendar?booking') || at.includes('show') ? 'Times in' : '<img src=x');
				const foreign = 'document.querySelectorAll("img, #console script, #console style, [onerror], [onload]").length';
				expect([at, await console.page.evaluate(foreign)]).toEqual([at, 0]);
				expect(await console.page.title()).not.toBe('hit');
			}
			expect(console.complaints).toEqual([]); // a refused script would complain
			await console.close();
		},
		PATIENCE,
	);
});

/** The tab that is open, where it is out of sight */
const OUT_OF_SIGHT = `[...document.querySelectorAll('.tabs [aria-current]')]
	.filter((tab) => tab.getBoundingClientRect().right > innerWidth + 1 || tab.getBoundingClientRect().left < -1)
	.map(({ textContent }) => textContent)`;

/** Presses Tab until what has the focus is called so. */
async function tabTo({ page }: Console, name: string): Promise<void> {
	for (let presses = 0; presses < 80; presses++) {
		const focused = await page.evaluate(`(() => {
			const { activeElement: it } = document;
			if (it.matches('body, main')) return ''; // which have everything in them
			const text = it.getAttribute('aria-label') ?? it.labels?.[0]?.innerText ?? it.innerText;
			return text.replace(/\\s+/g, ' ');
		})()`);
		if (String(focused).includes(name)) return;
		await page.keyboard.press('Tab');
	}
	throw new Error(`no Tab leads to ${name}`);
}
