import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { WebhookSender } from '../../../services/notifications/webhooks/outbound/send.ts';
import { sign } from '../../../services/notifications/webhooks/outbound/signature.ts';
import { newSecret } from '../../../services/notifications/webhooks/store/secrets.ts';
import { until } from '../../support/until.ts';
import { newEvent } from '../new-events.ts';
import { examples, type RunningExample, startExample } from './example-receivers.ts';
import { type Receiver, startHttp } from './receivers.ts';

const [secret, old] = [newSecret(), newSecret()];
const sender = new WebhookSender({ allowPrivate: true });

/** The account's events, of which the feed shows the first `known`. */
const events = Array.from({ length: 40 }, (_, at) => {
	const { id, type, timestamp, data } = newEvent('a', at + 1, 1);
	return { id, type, timestamp, sequence: at + 1, data: { ...data, message: 'Zoë 🎹' } };
});

describe.each(examples.filter(({ missing }) => missing === undefined))(
	'the $language receiver of the docs',
	(example) => {
		const directory = mkdtempSync(join(tmpdir(), 'slotwise-receiver-'));
		let feed: Receiver;
		let receiver: RunningExample;
		let known = 2;
		let isFeedUp = true;

		beforeAll(async () => {
			feed = await startHttp((request, response) => {
				const { pathname, searchParams } = new URL(request.url!, 'http://feed');
				const isAllowed = request.headers.authorization === 'Bearer slw_key' && pathname === '/v1/events';
				const after = Number(searchParams.get('after'));
				const page = events.slice(after, Math.min(known, after + 3)); // short pages, so that there are several
				response.writeHead(isFeedUp && isAllowed ? 200 : 503);
				response.end(JSON.stringify({ data: { events: page, has_more: after + page.length < known } }));
			});
			const env = { WEBHOOK_SECRET: secret, SLOTWISE_URL: feed.url.replace('/hooks', ''), SLOTWISE_KEY: 'slw_key' };
			receiver = await startExample(example, directory, env);
		}); // Go compiles its library the first time
		afterAll(async () => {
			await receiver?.stop();
			await feed.close();
			rmSync(directory, { recursive: true });
		});

		interface Changes {
			secrets?: string[];
			age?: number;
			alter?: (body: string) => string;
		}

		/** Delivers a body as Slotwise does. @returns the answer's status */
		async function deliver(
			id: string,
			content: unknown,
			{ secrets = [secret], age = 0, alter = (body) => body }: Changes,
		) {
			const body = JSON.stringify(content);
			const timestamp = Math.floor(Date.now() / 1_000) - age;
			const headers = { 'content-type': 'application/json', ...sign({ id, timestamp, body, secrets }) };
			const { status, error } = await sender.send({ url: receiver.url, headers, body: alter(body) });
			return status ?? error;
		}

		/** The event with this sequence, which is in the feed by then, as all before it are. */
		function deliverEvent(sequence: number, changes: Changes = {}) {
			known = Math.max(known, sequence);
			const { id, ...content } = events[sequence - 1]!;
			return deliver(id, content, changes);
		}

		const upTo = (last: number) => events.slice(0, last).map(({ sequence, type, id }) => `${sequence} ${type} ${id}`);

		/** What it prints may come after its answer; what it should not have printed is seen by the next look, or the last. */
		async function mustHaveHandled(expected: string[]) {
			await until(() => receiver.handled.length >= expected.length);
			expect(receiver.handled).toEqual(expected);
		}

		test('When it starts, then it handles what the feed has', async () => {
			await mustHaveHandled(upTo(2));
		});

		test('W2: When a delivery is signed by us, then it is handled, and once only', async () => {
			expect([await deliverEvent(3), await deliverEvent(3), await deliverEvent(2)]).toEqual([204, 204, 204]);
			await mustHaveHandled(upTo(3));
		});

		test('W2: When a byte is flipped, the timestamp old or the secret wrong, then it is refused', async () => {
			const flip = (body: string) => body.replace('booking.', 'bookinf.');
			expect(await deliverEvent(4, { alter: flip })).toBe(401);
			expect(await deliverEvent(4, { alter: (body) => `${body} ` })).toBe(401);
			expect(await deliverEvent(4, { age: 310 })).toBe(401);
			expect(await deliverEvent(4, { secrets: [old] })).toBe(401);
			await mustHaveHandled(upTo(3));
		});

		test('W6: When two secrets sign, then one of them is enough', async () => {
			expect(await deliverEvent(4, { secrets: [old, secret] })).toBe(204);
			expect(await deliverEvent(5, { secrets: [secret, old] })).toBe(204);
			await mustHaveHandled(upTo(5));
		});

		test('When deliveries are missing, then they are read from the feed, in order, and are no news later', async () => {
			expect([await deliverEvent(15), await deliverEvent(7), await deliverEvent(14)]).toEqual([204, 204, 204]);
			await mustHaveHandled(upTo(15));
		});

		test('When the feed is down, then it asks for the delivery again', async () => {
			isFeedUp = false;
			expect(await deliverEvent(17)).toBe(500);
			await mustHaveHandled(upTo(15));
			isFeedUp = true;
			expect(await deliverEvent(17)).toBe(204);
			await mustHaveHandled(upTo(17));
		});

		test('When deliveries come all at once and in disorder, then each event is handled once, in order', async () => {
			known = events.length;
			const disorder = events
				.slice(17)
				.map(({ sequence }) => sequence)
				.sort((a, b) => ((a * 7) % 23) - ((b * 7) % 23));
			const statuses = await Promise.all([...disorder, ...disorder].map((sequence) => deliverEvent(sequence)));
			expect(new Set(statuses)).toEqual(new Set([204]));
			await mustHaveHandled(upTo(events.length));
		});

		test('When a webhook.test comes, then it is handled without a sequence, once', async () => {
			const content = { type: 'webhook.test', timestamp: '2026-11-21T09:30:00.000Z', data: {} };
			expect([await deliver('evt_test_1', content, {}), await deliver('evt_test_1', content, {})]).toEqual([204, 204]);
			await mustHaveHandled([...upTo(events.length), 'test webhook.test evt_test_1']);
		});
	},
);

for (const { language, missing } of examples) {
	if (missing !== undefined) test.skip(`the ${language} receiver of the docs (${missing})`, () => {});
}
