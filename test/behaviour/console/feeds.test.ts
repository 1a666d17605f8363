import { expect, test } from '@jest/globals';
import { onChromium, PATIENCE, signIn } from '../../console/console-page.ts';
import { book, feedsOf, slotOn } from '../../support/scheduling.ts';
import { anonymous, newAccount } from '../../support/shared-product.ts';

onChromium('Calendar feeds in the console', (browser) => {
	test(
		'When a feed is made, then its whole address is shown once and is read; when it is deleted, then the address leads to nothing',
		async () => {
			const client = newAccount();
			const place = await slotOn(client);
			await book(client, place, { customer_name: 'Ada Lovelace' });
			const { id: service } = place.service;
			const console = await signIn(browser(), client, { at: `/feeds?service=${service}` });
			await console.reads('No calendar feeds yet');
			await console.press('With customers’ names, e-mail addresses and phone numbers', { role: 'checkbox' });
			await console.press('Create a feed');
			const address = new URL(await console.text('dialog[open] code.secret'));
			expect(address.origin).toBe(new URL(console.page.url()).origin);
			expect((await anonymous().get(address.pathname)).text).toContain('Ada Lovelace');
			await console.type('Escape');
			await console.reads('Bookings and customers');
			await console.isWithout(address.pathname);

			const [feed] = await feedsOf(client, service);
			await console.press(`Delete feed ${feed!.id}…`);
			await console.press('Delete');
			await console.reads('No calendar feeds yet');
			expect((await anonymous().get(address.pathname)).status).toBe(404);
			expect(console.complaints).toEqual([]);
			await console.close();
		},
		PATIENCE,
	);
});
