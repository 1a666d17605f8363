import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { onChromium, openConsole, PATIENCE, signIn } from '../../console/console-page.ts';
import { Client } from '../../support/http-client.ts';
import { sharedOperator } from '../../support/operator.ts';
import { book, newCustomer, newFeed, slotOn } from '../../support/scheduling.ts';
import { newAccount, sharedProduct } from '../../support/shared-product.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import { until } from '../../support/until.ts';

onChromium('Signing in to the console', (browser) => {
	test(
		'When somebody signs in, then the key is in no storage, no address and no cookie, and a reload forgets it',
		async () => {
			const client = newAccount();
			const console = await signIn(browser(), client);
			await console.reads('There is nothing to book yet');
			const kept = '[JSON.stringify({ ...localStorage, ...sessionStorage }), document.cookie, location.href].join()';
			expect(await console.page.evaluate(kept)).not.toContain('slw_');
			expect(await console.page.evaluate('indexedDB.databases().then((all) => all.length)')).toBe(0);
			expect(console.origins).toEqual([sharedProduct().urls[0]]);
			expect(console.complaints).toEqual([]);
			await console.page.reload();
			await console.sees('Sign in', 'button');
			await console.close();
		},
		PATIENCE,
	);

	test.each([
		['unknown', 'slw_1234567890'],
		['no key at all', 'привет'],
	])(
		'When a key is %s, then it is told, and another can be tried',
		async (_, key) => {
			const console = await openConsole(browser());
			await console.signIn(key);
			await console.reads('This is not a valid key.');
			await console.signIn(newAccount().key!);
			await console.sees('Sign out', 'button');
			await console.press('Sign out');
			await console.sees('Sign in', 'button');
			await console.close();
		},
		PATIENCE,
	);

	test.each([
		['is revoked', (id: string) => ['keys', 'revoke', id]],
		['passes its date of expiry', (id: string) => ['keys', 'roll', id, '--overlap', '0m']],
	] as const)(
		'When a key %s while somebody works, then they are signed out and told why, and go on with another one',
		async (_, command) => {
			const operator = sharedOperator();
			const { id } = await operator.createAccount();
			const { key, client } = await operator.createKey(id);
			const { client: other } = await operator.createKey(id);
			const { service } = await slotOn(client);
			const console = await signIn(browser(), client, { at: '/calendar' });
			await console.sees(`${service.name}: Calendar`, 'heading');
			await operator.ask(...command(key.id));
			// Within five seconds; the browser asks the first gateway.
			await until(async () => (await client.pinned(0).get('/v1/usage')).status === 401);
			await console.follow('Bookings');
			await console.reads('This key is not valid any more.');
			expect(await console.page.evaluate('document.body.innerText')).not.toContain(service.name);
			await console.signIn(other.key!);
			await console.sees(`${service.name}: Bookings`, 'heading');
			await console.isWithout('This key is not valid any more.');
			expect(console.complaints).toEqual([]);
			await console.close();
		},
		PATIENCE,
	);

	test(
		'When a key ends while a form is filled in, then what was typed is there for the next key, until somebody signs out',
		async () => {
			const operator = sharedOperator();
			const { id } = await operator.createAccount();
			const [first, second, third] = [
				await operator.createKey(id),
				await operator.createKey(id),
				await operator.createKey(id),
			];
			const { slot, date } = await slotOn(first.client, { max_bookings: 2 });
			const console = await signIn(browser(), first.client, { at: `/calendar?slot=${slot.id}&on=${date}` });
			const typed = (label: string) =>
				console.page.$eval(`::-p-aria([name="${label}"])`, (field: unknown) => (field as { value: string }).value);
			const goOn = async (revoked: typeof first, other: typeof first, button: string) => {
				await operator.ask('keys', 'revoke', revoked.key.id);
				await until(async () => (await revoked.client.pinned(0).get('/v1/usage')).status === 401);
				const told = 'This key is not valid any more.';
				await console.press(button, { unless: told }); // its long poll may be told first
				await console.reads(told);
				await console.signIn(other.client.key!);
			};
			await console.press('Book');
			await console.fill('Name', 'Katherine Johnson');
			await goOn(first, second, 'Book');
			await console.press('Book');
			await console.sees('Name', 'textbox');
			expect(await typed('Name')).toBe('Katherine Johnson');
			await console.press('Book');
			await console.isWithout('New booking');
			await console.press('Book'); // the next one begins empty
			await console.sees('Name', 'textbox');
			expect(await typed('Name')).toBe('');
			await console.type('Escape');

			await console.page.evaluate(`location.hash = '/schedule'`);
			await console.fill('Notice in minutes', '77');
			await goOn(second, third, 'Preview');
			await console.sees('Notice in minutes', 'spinbutton');
			expect(await typed('Notice in minutes')).toBe('77');
			await console.press('Sign out');
			await console.signIn(third.client.key!);
			await console.sees('Notice in minutes', 'spinbutton');
			expect(await typed('Notice in minutes')).toBe('');
			expect(console.complaints).toEqual([]);
			await console.close();
		},
		PATIENCE,
	);

	test(
		'When a key only reads, then everything is seen, and nothing can be pressed that changes something',
		async () => {
			const operator = sharedOperator();
			const { id } = await operator.createAccount();
			const { client: writer } = await operator.createKey(id);
			const { client: reader } = await operator.createKey(id, '--scopes', 'read');
			const place = await slotOn(writer, { max_bookings: 2 });
			const { id: booking } = await book(writer, place, newCustomer());
			const { id: feed } = await newFeed(writer, place.service.id);
			const console = await signIn(browser(), reader, { at: `/calendar?booking=${booking}` });
			await console.reads('read only');
			for (const name of ['Confirm', 'Hold…', 'Move…', 'Cancel…', 'New service']) await disabled(name);
			const occurrence = `/calendar?slot=${place.slot.id}&on=${place.date}`;
			for (const [at, names] of [
				[occurrence, ['Book']],
				['/schedule', ['Preview', 'Save the schedule']],
				['/closures', ['Preview', 'Close these days']],
				['/feeds', ['Create a feed', `Delete feed ${feed}…`]],
				['/webhooks', ['New webhook']],
			] as const) {
				await console.page.evaluate(`location.hash = ${JSON.stringify(at)}`);
				for (const name of names) await disabled(name);
			}
			expect(console.complaints).toEqual([]);
			await console.close();

			async function disabled(name: string): Promise<void> {
				const handle = await console.page
					.locator(`::-p-aria([name="${name}"][role="button"])`)
					.setEnsureElementIsInTheViewport(false)
					.setWaitForEnabled(false)
					.waitHandle();
				expect([name, await handle.evaluate((button: unknown) => (button as { disabled: boolean }).disabled)]).toEqual([
					name,
					true,
				]);
			}
		},
		PATIENCE,
	);
});

onChromium('A gateway that goes away', (browser) => {
	let proxy: TcpProxy;
	beforeAll(async () => {
		proxy = await TcpProxy.to(Number(new URL(sharedProduct().urls[0]!).port));
	});
	afterAll(() => proxy.close());

	test.each([
		['the gateway goes away and comes back', 'cut'],
		['connections stay open and nothing comes', 'hang'],
	] as const)(
		'When %s, then the console says so, and goes on by itself',
		async (_, kind) => {
			const client = newAccount();
			const { service } = await slotOn(client);
			const url = `http://127.0.0.1:${proxy.port}`;
			const console = await signIn(browser(), new Client([url], client.key), { url, at: '/usage' });
			await console.sees('Requests', 'heading');
			await proxy.set({ kind });
			await console.follow('Calendar');
			await console.reads('The gateway does not answer.');
			await proxy.set({ kind: 'none' });
			await console.sees(`${service.name}: Calendar`, 'heading');
			await console.isWithout('The gateway does not answer.');
			await console.close();
		},
		PATIENCE,
	);

	test(
		'When a browser is offline while somebody books, then the form stays, and books once when it is back',
		async () => {
			const client = newAccount();
			const { slot, date, service } = await slotOn(client, { max_bookings: 2 });
			const console = await signIn(browser(), client, { at: `/calendar?slot=${slot.id}&on=${date}` });
			await console.press('Book');
			await console.fill('Name', 'Katherine Johnson');
			await console.page.setOfflineMode(true);
			await console.press('Book');
			await console.page.waitForSelector('dialog .failure');
			await console.page.setOfflineMode(false);
			await console.press('Book');
			await console.isWithout('New booking');
			const query = { service_id: service.id, page: 1, page_size: 10 };
			const { bookings } = (await client.get<{ bookings: object[] }>('/v1/bookings', { query })).mustBe(200);
			expect(bookings).toMatchObject([{ status: 'confirmed', customer: { name: 'Katherine Johnson' } }]);
			await console.close();
		},
		PATIENCE,
	);

	test(
		'When an answer is cut off, then it is asked for again',
		async () => {
			const client = newAccount();
			const { service } = await slotOn(client);
			const console = await signIn(browser(), client, { at: '/usage' });
			await console.sees('Requests', 'heading');
			let cut = 0;
			await console.page.setRequestInterception(true);
			console.page.on('request', (request) => {
				const isFirst = request.url().includes('/v1/services') && cut++ === 0;
				void (isFirst ? request.respond({ status: 200, body: '{"data":{"services":[' }) : request.continue());
			});
			await console.follow('Calendar');
			await console.sees(`${service.name}: Calendar`, 'heading');
			expect(console.complaints).toEqual([]);
			await console.close();
		},
		PATIENCE,
	);
});
