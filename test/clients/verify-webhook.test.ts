import { describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook, WebhookVerificationError } from '../../clients/typescript/src/index.ts';

const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(24, 8).toString('base64')}`;
const BODY = JSON.stringify({ type: 'webhook.test', timestamp: '2026-11-21T09:30:00.000Z', data: { text: 'für Ada' } });
const AT = new Date('2026-11-21T09:30:00Z');

/** As the official library signs. */
function signed(secrets = [SECRET]): Record<string, string> {
	return {
		'webhook-id': 'evt_1',
		'webhook-timestamp': String(AT.getTime() / 1000),
		'webhook-signature': secrets.map((secret) => new Webhook(secret).sign('evt_1', AT, BODY)).join(' '),
	};
}

const verify = (
	headers: Record<string, string>,
	secret: string | string[] = SECRET,
	body: string | Uint8Array = BODY,
) => verifyWebhook(body, headers, secret, { now: AT.getTime() });

describe('verifyWebhook', () => {
	test('When the secret signed it, then it is the event with its id', async () => {
		const event = { id: 'evt_1', ...JSON.parse(BODY) };
		expect(await verify(signed())).toEqual(event);
		expect(await verify(signed(), SECRET, Buffer.from(BODY))).toEqual(event);
		expect(await verifyWebhook(BODY, new Headers(signed()), SECRET, { now: AT.getTime() })).toEqual(event);
	});

	test('While a secret is replaced, one of several is enough, on either side', async () => {
		await verify(signed([OTHER, SECRET]));
		await verify(signed(), [OTHER, SECRET]);
	});

	test('When anything of it is different, then it is refused', async () => {
		const refused = [
			() => verify(signed([OTHER])),
			() => verify({ ...signed(), 'webhook-id': 'evt_2' }),
			() => verify(signed(), SECRET, BODY.replace('Ada', 'Eve')),
			() => verify({ ...signed(), 'webhook-signature': 'v1,%%% v1,AAAA v2,x' }),
			() => verify({ ...signed(), 'webhook-signature': '' }),
			() => verify({ ...signed(), 'webhook-timestamp': 'now' }),
			() => verify({}),
		];
		for (const one of refused) await expect(one()).rejects.toThrow(WebhookVerificationError);
	});

	test('When it is more than five minutes away from the clock, then it is refused', async () => {
		for (const away of [-301_000, 301_000]) {
			const late = verifyWebhook(BODY, signed(), SECRET, { now: AT.getTime() + away });
			await expect(late).rejects.toThrow(WebhookVerificationError);
		}
	});
});
