import { expect, test } from '@jest/globals';
import { type Console, onChromium, PATIENCE, signIn } from '../../console/console-page.ts';
import { book, newCustomer, newFeed, slotOn } from '../../support/scheduling.ts';
import { newAccount } from '../../support/shared-product.ts';
import { until } from '../../support/until.ts';

/** What somebody who works by keyboard would press, by its name; `nothing`: they begin anew at the top of the page */
const FOCUSED = `(({ id, tagName, ariaLabel, textContent }) =>
	tagName === 'BODY' ? 'nothing' : id === 'content' ? 'the content' : (ariaLabel ?? textContent).trim()
)(document.activeElement)`;

onChromium('The focus in the console', (browser) => {
	/** By keyboard only */
	async function press(console: Console, name: string): Promise<void> {
		const button = await console.page.waitForSelector(`::-p-aria([name="${name}"][role="button"])`);
		await button!.focus();
		await console.type('Enter');
	}

	async function hasFocus(console: Console, name: string): Promise<void> {
		let focused: unknown;
		const isThere = async () => {
			focused = await console.page.evaluate(FOCUSED);
			return focused === name;
		};
		await until(isThere, { timeout: 10_000, what: `the focus on ${name}` }).catch(() => expect(focused).toBe(name));
	}

	test(
		'When a dialog has done its work, then the focus is where it was; where that is gone, where the content begins',
		async () => {
			const client = newAccount();
			const place = await slotOn(client, { max_bookings: 3 });
			await book(client, place, { customer_name: 'Ada Lovelace', customer_email: 'ada@example.com' });
			await newFeed(client, place.service.id);
			const console = await signIn(browser(), client, { at: '/customers' });
			await console.fill('E-mail address or telephone number', 'ada@example.com');
			await console.type('Enter');
			await press(console, 'Erase…');
			await console.fill('Type ada@example.com to go on', 'ada@example.com');
			await console.type('Enter');
			await console.reads('Erased from 1 booking');
			await hasFocus(console, 'Erase…');
			await press(console, 'Close this notice');
			await hasFocus(console, 'the content');

			await console.page.evaluate(`location.hash = '/feeds'`);
			await console.page.locator('.table .number button').click();
			await press(console, 'Delete');
			await console.reads('The feed is gone');
			await hasFocus(console, 'the content');
			await console.close();
		},
		PATIENCE,
	);

	test(
		'When somebody presses Escape in the moment in which a panel appears, then it closes',
		async () => {
			const client = newAccount();
			const place = await slotOn(client, { max_bookings: 3 });
			const at = `/calendar?date=${place.date}&slot=${place.slot.id}&on=${place.date}`;
			const console = await signIn(browser(), client);
			await console.page.evaluate(`new MutationObserver((_, observer) => {
				if (document.querySelector('.panel') === null) return;
				observer.disconnect();
				document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
				window.isPressed = true;
			}).observe(document.body, { childList: true, subtree: true });
			location.hash = '${at}'`);
			await console.page.waitForFunction('window.isPressed');
			await console.page.waitForSelector('.panel', { hidden: true, timeout: 10_000 });
			await console.close();
		},
		PATIENCE,
	);

	test(
		'When a dialog is refused, then the button that was pressed keeps the focus',
		async () => {
			const client = newAccount();
			const place = await slotOn(client, { max_bookings: 3 });
			const { customer_email } = newCustomer();
			await book(client, place, { customer_email });
			const at = `/calendar?date=${place.date}&slot=${place.slot.id}&on=${place.date}`;
			const console = await signIn(browser(), client, { at });
			await press(console, 'Book');
			await console.fill('E-mail', customer_email!);
			const submit = await console.page.waitForSelector('dialog[open] button[type=submit]');
			await submit!.focus();
			await console.type('Enter');
			await console.reads('This customer is booked for this time already.');
			await hasFocus(console, 'Book');
			await console.close();
		},
		PATIENCE,
	);

	test(
		'When somebody turns pages, then the button stays under their finger; at the last page the other one',
		async () => {
			const client = newAccount();
			const place = await slotOn(client, { max_bookings: 200 });
			await Promise.all(Array.from({ length: 120 }, () => book(client, place)));
			const console = await signIn(browser(), client, { at: '/customers' });
			await press(console, 'Next page');
			await console.reads('51 – 100 of 120');
			await hasFocus(console, 'Next page');
			await console.type('Enter');
			await console.reads('101 – 120 of 120');
			await hasFocus(console, 'Previous page');
			await console.close();
		},
		PATIENCE,
	);

	test(
		'When the last slot of a week is taken out, or a day is opened again, then the focus stays near',
		async () => {
			const client = newAccount();
			const { service } = await slotOn(client);
			const console = await signIn(browser(), client, { at: '/schedule' });
			await press(console, 'Add a slot');
			await press(console, 'Remove slot 2');
			await hasFocus(console, 'Remove slot 1');
			const days = {
				date_from: '2027-01-04',
				date_to: '2027-01-04',
				time_slot_id: null,
				max_bookings: 0,
				reason: null,
			};
			(await client.post(`/v1/services/${service.id}/date-overrides`, days)).mustBe(201);
			await console.page.evaluate(`location.hash = '/closures'`);
			const open = await console.page.waitForSelector('.table .number button');
			await open!.focus();
			await console.type('Enter');
			await console.reads('The usual week holds again.');
			await hasFocus(console, 'the content');
			await console.close();
		},
		PATIENCE,
	);
});
