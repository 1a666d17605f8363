import { expect, test } from '@jest/globals';
import { onChromium, PATIENCE, signIn } from '../../console/console-page.ts';
import { book, getBooking, slotOn } from '../../support/scheduling.ts';
import { newAccount } from '../../support/shared-product.ts';
import { until } from '../../support/until.ts';

onChromium('Customers in the console', (browser) => {
	test(
		'When somebody looks for a person, then they are found, exported, and erased after their address was typed again',
		async () => {
			const client = newAccount();
			const place = await slotOn(client, { max_bookings: 3 });
			const ada = { customer_name: 'Ada Lovelace', customer_email: 'ada@example.com', message: 'Window seat' };
			const { id } = await book(client, place, ada);
			await book(client, place, { customer_name: 'Grace Hopper', customer_phone: '+4930123456' });
			const console = await signIn(browser(), client, { at: '/customers' });
			await console.fill('E-mail address or telephone number', 'ada');
			await console.press('Find');
			await console.reads('A person is found by a whole e-mail address');
			await console.fill('E-mail address or telephone number', '+49 30 123456');
			await console.press('Find');
			await console.reads('Grace Hopper');
			await console.fill('E-mail address or telephone number', 'Ada@Example.com');
			await console.press('Find');
			await console.reads('Ada Lovelace');
			await console.isWithout('Grace Hopper');

			await console.page.evaluate(
				`const make = URL.createObjectURL.bind(URL);
				URL.createObjectURL = (blob) => { blob.text().then((text) => { globalThis.saved = text; }); return make(blob); };`,
			);
			await console.press('Export all that is kept');
			await console.reads('Exported: 1 booking');
			const saved = JSON.parse(String(await console.page.evaluate('globalThis.saved'))) as {
				bookings: { id: number }[];
			};
			expect(saved.bookings.map((booking) => booking.id)).toEqual([id]);

			await console.press('Erase…');
			await console.fill('Type Ada@Example.com to go on', 'Ada@Example.com');
			await console.press('Erase');
			await console.reads('Erased from 1 booking');
			await until(async () => (await getBooking(client, id)).customer.name === null);
			expect((await getBooking(client, id)).message).toBeNull();
			await console.follow('Activity');
			await console.reads('A customer, of 1 booking');
			expect(console.complaints).toEqual([]);
			await console.close();
		},
		PATIENCE,
	);
});
