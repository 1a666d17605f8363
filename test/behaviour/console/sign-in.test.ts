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
			await console.fill('API key', key);
			await console.press('Sign in');
			await console.reads('This is not a valid key.');
			await console.fill('API key', newAccount().key!);
			await console.press('Sign in');
			await console.sees('Sign out', 'button');
			await console.press('Sign out');
			await console.sees('Sign in', 'button');
			await console.close();
		},
		PATIENCE,
	);

	test(
		'When a key is revoked while somebody works, then they are signed out and told why',
		async () => {
			const operator = sharedOperator();
			const { id } = await operator.createAccount();
			const { key, client } = await operator.createKey(id);
			const { service } = await slotOn(client);
			const console = await signIn(browser(), client, { at: '/calendar' });
			await console.sees(`${service.name}: Calendar`, 'heading');
			await operator.ask('keys', 'revoke', key.id);
			// Within five seconds; the browser asks the first gateway.
			await until(async () => (await client.pinned(0).get('/v1/usage')).status === 401);
			await console.follow('Usage');
			await console.reads('This key is not valid any more.');
			expect(await console.page.evaluate('document.body.innerText')).not.toContain(service.name);
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

	test(
		'When the gateway goes away and comes back, then the console says so, and goes on by itself',
		async () => {
			const client = newAccount();
			const { service } = await slotOn(client);
			const url = `http://127.0.0.1:${proxy.port}`;
			const console = await signIn(browser(), new Client([url], client.key), { url, at: '/usage' });
			await console.sees('Requests', 'heading');
			await proxy.set({ kind: 'cut' });
			await console.follow('Calendar');
			await console.reads('The gateway does not answer.');
			await proxy.set({ kind: 'none' });
			await console.sees(`${service.name}: Calendar`, 'heading');
			await console.isWithout('The gateway does not answer.');
			await console.close();
		},
		PATIENCE,
	);
});
