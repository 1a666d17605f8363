import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { WebhookList } from '../../../shared/contract/schemas/webhook.ts';
import { onChromium, PATIENCE, signIn } from '../../console/console-page.ts';
import { book, newCustomer, slotOn } from '../../support/scheduling.ts';
import { newAccount } from '../../support/shared-product.ts';
import { until } from '../../support/until.ts';
import { idOf, WebhookReceiver } from '../../support/webhook-receiver.ts';

onChromium('Webhooks in the console', (browser) => {
	let receiver: WebhookReceiver;
	beforeAll(async () => {
		receiver = await WebhookReceiver.start();
	});
	afterAll(() => receiver.stop());

	test(
		'When a webhook is made, then its secret is shown once, deliveries come with their attempts, and one can be sent again',
		async () => {
			const client = newAccount();
			const path = '/console';
			const console = await signIn(browser(), client, { at: '/webhooks' });
			await console.press('New webhook');
			await console.fill('URL', receiver.url(path));
			await console.fill('Description', 'Calendar of the school');
			await console.press('Create');
			const secret = await console.text('dialog[open] code.secret');
			expect(secret).toMatch(/^whsec_/);
			receiver.judge(path, secret);
			await console.type('Escape');
			await console.follow(`${receiver.url(path)} Calendar of the school · all events enabled`);
			await book(client, await slotOn(client), newCustomer());
			await until(() => receiver.of(path).length === 1);
			await console.press('Look again');
			await console.page.locator('.deliveries summary::-p-text(booking.created)').click();
			await console.reads('204');
			await console.press('Send again');
			const [first, second] = await until(() => receiver.of(path).length === 2 && receiver.of(path));
			expect([idOf(second!), second!.verified]).toEqual([idOf(first!), true]);
			await console.press('Send a test');
			await until(() => receiver.of(path).length === 3);
			expect(console.complaints).toEqual([]);
			await console.close();
		},
		PATIENCE,
	);

	test(
		'When a webhook is disabled, enabled, given a new secret and deleted, then so it is',
		async () => {
			const client = newAccount();
			const { id } = (await client.post<{ id: number }>('/v1/webhooks', { url: receiver.url('/changed') })).mustBe(201);
			const first = async () => (await client.get<WebhookList>('/v1/webhooks')).mustBe(200).webhooks[0];
			const console = await signIn(browser(), client, { at: `/webhooks?webhook=${id}` });
			await console.press('Disable');
			await until(async () => (await first())?.enabled === false);
			await console.reads('It was disabled by a client.');
			await console.press('Enable');
			await until(async () => (await first())?.enabled);
			await console.press('New secret');
			expect(await console.text('dialog[open] code.secret')).toMatch(/^whsec_/);
			await console.type('Escape');
			await console.press('Delete…');
			await console.press('Delete');
			await console.reads('No webhooks yet');
			expect(await first()).toBeUndefined();
			expect(console.complaints).toEqual([]);
			await console.close();
		},
		PATIENCE,
	);
});
