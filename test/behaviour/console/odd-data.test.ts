import { expect, test } from '@jest/globals';
import { onChromium, PATIENCE, signIn } from '../../console/console-page.ts';
import { violations } from '../../reference/violations.ts';
import { dateOn } from '../../support/calendar.ts';
import {
	book,
	bookingBody,
	createService,
	overrideDates,
	scheduleOf,
	slotInput,
	slotOn,
	slotsOf,
} from '../../support/scheduling.ts';
import { newAccount } from '../../support/shared-product.ts';

onChromium('Data that a calendar does not see every day', (browser) => {
	test(
		'When slots are of ten minutes, then each tells its time whole',
		async () => {
			const client = newAccount();
			const times = Array.from({ length: 6 }, (_, slot) => slotInput({ ...minutes(slot * 10, 10) }));
			await createService(client, { time_slots: times });
			const console = await signIn(browser(), client, { at: `/calendar?date=${dateOn(1)}` });
			await console.page.waitForSelector('.occurrence');
			await console.settles();
			const cut = `[...document.querySelectorAll('.occurrence b')].filter((time) => {
				const [inner, outer] = [time, time.closest('.occurrence')].map((one) => one.getBoundingClientRect());
				return inner.top < outer.top || inner.bottom > outer.bottom + 1;
			}).length`;
			expect(await console.page.$$eval('.occurrence', (all) => all.length)).toBe(6);
			expect(await console.page.evaluate(cut)).toBe(0);
			await console.close();
		},
		PATIENCE,
	);

	test(
		'When a day of the month has more bookings than fit, and names as long as a screen, then all of them are read on a telephone',
		async () => {
			const client = newAccount();
			const place = await slotOn(client, { max_bookings: 9 });
			const long = 'W'.repeat(255);
			for (const customer_name of [long, ...'ABCDE']) await book(client, place, { customer_name });
			const at = `/calendar?date=${place.date}&span=month&show=bookings`;
			const console = await signIn(browser(), client, { at, width: 320 });
			await console.page.locator('.calendar [aria-haspopup=dialog]').click();
			await console.page.waitForSelector('.whole-day .booking-event');
			expect(await console.page.$$eval('.whole-day .booking-event', (all) => all.length)).toBe(6);
			expect(await console.page.evaluate('document.scrollingElement.scrollWidth')).toBe(320);
			const ground = `getComputedStyle(document.querySelector('.whole-day')).backgroundColor`;
			expect(await console.page.evaluate(ground)).toBe('rgb(255, 255, 255)'); // the month does not show through
			expect(await violations(console.page)).toEqual([]);

			await console.type('Tab', 'Enter');
			await console.page.waitForSelector('.panel');
			await console.type('Escape');
			await console.page.waitForSelector('.whole-day', { hidden: true });
			expect(await console.page.$('.panel')).not.toBeNull(); // one thing a key
			await console.type('Escape');
			await console.page.waitForSelector('.panel', { hidden: true });
			await console.close();
		},
		PATIENCE,
	);

	test(
		'When a service has no slot left, then its calendar says where to look',
		async () => {
			const client = newAccount();
			const { service } = await slotOn(client);
			const { timezone } = await scheduleOf(client, service.id);
			(
				await client.request('PUT', `/v1/services/${service.id}/schedule`, { body: { timezone, time_slots: [] } })
			).mustBe(200);
			const console = await signIn(browser(), client);
			for (const span of ['week', 'month']) {
				await console.page.evaluate(`location.hash = '/calendar?span=${span}'`);
				await console.reads(`Nothing takes place in this ${span}`);
			}
			await console.follow('weekly schedule');
			await console.sees(`${service.name}: Weekly schedule`, 'heading');
			await console.close();
		},
		PATIENCE,
	);

	test(
		'When somebody is on the second page of a time and opens another one, then they see who comes to that',
		async () => {
			const client = newAccount();
			const service = await createService(client, {
				time_slots: [slotInput({ max_bookings: 60 }), slotInput({ day_of_week: 2, max_bookings: 60 })],
			});
			const [monday, tuesday] = await slotsOf(client, service.id);
			const many = Array.from({ length: 51 }, () =>
				client.post('/v1/bookings', bookingBody({ slot: monday!, date: dateOn(1) })),
			);
			for (const answer of await Promise.all(many)) answer.mustBe(201);
			await book(client, { slot: tuesday!, date: dateOn(2) }, { customer_name: 'Ada Lovelace' });
			const console = await signIn(browser(), client, { at: `/calendar?slot=${monday!.id}&on=${dateOn(1)}` });
			await console.press('Next page');
			await console.reads('51 – 51 of 51');
			await console.page.evaluate(`location.hash = '/calendar?slot=${tuesday!.id}&on=${dateOn(2)}'`);
			await console.reads('Ada Lovelace');
			await console.page.goBack();
			await console.reads('1 – 50 of 51');
			await console.close();
		},
		PATIENCE,
	);

	test(
		'When the last row of a page is taken away, then the pages before it are still there',
		async () => {
			const client = newAccount();
			const { service } = await slotOn(client);
			for (let made = 0; made < 51; made++) await overrideDates(client, service.id, { reason: `Closed ${made}` });
			const console = await signIn(browser(), client, { at: '/closures' });
			await console.press('Next page');
			await console.reads('51 – 51 of 51');
			await console.page.locator('button[title^="Open again"]').click();
			await console.press('Previous page');
			await console.reads('Closed 0');
			expect(console.complaints).toEqual([]);
			await console.close();
		},
		PATIENCE,
	);

	test(
		'When a name turns the direction of writing, then what stands behind it does not turn',
		async () => {
			const client = newAccount();
			await book(client, await slotOn(client), { customer_name: '\u202Eeve' });
			const console = await signIn(browser(), client, { at: '/activity' });
			await console.reads('eve');
			const steps = `(() => {
				const text = [...document.querySelector('.feed p:has(a)').childNodes].find(({ data }) => /\\d{4}/.test(data ?? ''));
				const at = (index) => {
					const range = document.createRange();
					range.setStart(text, index);
					range.setEnd(text, index + 1);
					return range.getBoundingClientRect().left;
				};
				const year = /\\d{4}/.exec(text.data).index;
				return at(year + 3) - at(year);
			})()`;
			expect(await console.page.evaluate(steps)).toBeGreaterThan(0);
			await console.close();
		},
		PATIENCE,
	);

	test(
		'When a browser does not know the time zone of a service, then everything is shown all the same',
		async () => {
			const client = newAccount();
			const { service, date } = await slotOn(client);
			const console = await signIn(browser(), client, { at: '/usage' });
			await console.page.evaluate(`const Known = Intl.DateTimeFormat;
			Intl.DateTimeFormat = function (locale, options) {
				if (options?.timeZone === '${service.timezone}') throw new RangeError('Invalid time zone');
				return new Known(locale, options);
			}`);
			await console.page.evaluate(`location.hash = '/calendar?date=${date}'`);
			await console.sees(`${service.name}: Calendar`, 'heading');
			await console.page.waitForSelector('.occurrence');
			await console.close();
		},
		PATIENCE,
	);

	test(
		'When an address names what there is not, then that is said, or what there is comes in its place',
		async () => {
			const client = newAccount();
			const { service, slot, date } = await slotOn(client);
			const console = await signIn(browser(), client, { at: `/calendar?date=${date}` });
			for (const at of [
				`/calendar?slot=${slot.id}&on=nonsense`,
				`/calendar?slot=${slot.id}&on=2027-02-30`,
				'/calendar?date=2026-13-45',
				'/calendar?date=99999999-01-01&span=month',
				'/calendar?booking=9007199254740991',
			]) {
				await console.page.evaluate(`location.hash = ${JSON.stringify(at)}`);
				await console.settles();
				await console.press(at.includes('month') ? 'Next month' : 'Next week');
				await console.sees(`${service.name}: Calendar`, 'heading');
				expect(await console.text('.range')).toMatch(/^\w+ .*\d{4}$/);
			}
			await console.page.evaluate(`location.hash = '/calendar?service=9007199254740991'`);
			await console.reads('Service not found.');
			await console.follow('See the services that there are');
			await console.sees(`${service.name}: Calendar`, 'heading');
			expect(console.complaints).toEqual([]);
			await console.close();
		},
		PATIENCE,
	);

	test(
		'When the rate of the plan is used up, then somebody is told, and it goes on by itself',
		async () => {
			const client = newAccount();
			const { service } = await slotOn(client);
			const console = await signIn(browser(), client, { at: '/usage' });
			await console.sees('Requests', 'heading');
			let refused = 0;
			await console.page.setRequestInterception(true);
			console.page.on('request', (request) => {
				const isFirst = request.url().includes('/v1/services') && refused++ === 0;
				const body = JSON.stringify({ error: { message: 'slow down', retry_after: 2 }, code: 'rate_limit_exceeded' });
				const answer = { status: 429, headers: { 'retry-after': '2' }, contentType: 'application/json', body };
				void (isFirst ? request.respond(answer) : request.continue());
			});
			await console.follow('Calendar');
			await console.reads('rate of requests is used up');
			await console.sees(`${service.name}: Calendar`, 'heading');
			await console.isWithout('rate of requests is used up');
			await console.close();
		},
		PATIENCE,
	);
});

/** Wall-clock times from nine on */
function minutes(from: number, length: number): { start_time: string; end_time: string } {
	const clock = (minute: number) =>
		`2026-01-05 ${String(9 + Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}:00`;
	return { start_time: clock(from), end_time: clock(from + length) };
}
