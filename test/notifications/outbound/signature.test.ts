import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { type SignedMessage, sign } from '../../../services/notifications/webhooks/outbound/signature.ts';
import { newSecret } from '../../../services/notifications/webhooks/store/secrets.ts';

const [secret, old, foreign] = [newSecret(), newSecret(), newSecret()];
const now = () => Math.floor(Date.now() / 1_000);

function message(changes: Partial<SignedMessage> = {}): SignedMessage {
	return { id: 'evt_7_1', timestamp: now(), body: '{"type":"booking.created"}', secrets: [secret], ...changes };
}

/** The judge is the official library, as a receiver would use it. */
function accepts(withSecret: string, body: string, headers: Record<string, string>): boolean {
	try {
		new Webhook(withSecret).verify(body, headers);
		return true;
	} catch {
		return false;
	}
}

describe('W2: signatures', () => {
	test('When a message is signed, then the official library verifies it', () => {
		const signed = message();
		expect(accepts(secret, signed.body, sign(signed))).toBe(true);
		expect(accepts(foreign, signed.body, sign(signed))).toBe(false);
	});

	test('When the specification signs its example, then ours is the same', () => {
		const example = {
			id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
			timestamp: 1_614_265_330,
			body: '{"test": 2432232314}',
			secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
		};
		expect(sign(example)).toEqual({
			'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
			'webhook-timestamp': '1614265330',
			'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
		});
	});

	test('When any one byte of the body is flipped, then it is refused', () => {
		const signed = message();
		const headers = sign(signed);
		const bytes = Buffer.from(signed.body);
		for (let at = 0; at < bytes.length; at++) {
			const flipped = Buffer.from(bytes);
			flipped[at]! ^= 1;
			expect(accepts(secret, flipped.toString('latin1'), headers)).toBe(false);
		}
	});

	test('When id, timestamp or signature are others, then it is refused', () => {
		const signed = message();
		const headers = sign(signed);
		const signature = headers['webhook-signature'];
		const last = signature.endsWith('A=') ? 'B=' : 'A=';
		for (const change of [
			{ 'webhook-id': 'evt_7_2' },
			{ 'webhook-timestamp': String(signed.timestamp + 1) },
			{ 'webhook-signature': `${signature.slice(0, 10)}${signature[10] === 'x' ? 'y' : 'x'}${signature.slice(11)}` },
			{ 'webhook-signature': `${signature.slice(0, -2)}${last}` },
			{ 'webhook-signature': signature.replace('v1,', 'v2,') },
			{ 'webhook-signature': '' },
		]) {
			expect(accepts(secret, signed.body, { ...headers, ...change })).toBe(false);
		}
	});

	test.each([-301, 301])('When the timestamp is %d s away, then it is refused', (seconds) => {
		const signed = message({ timestamp: now() + seconds + Math.sign(seconds) * 5 });
		expect(accepts(secret, signed.body, sign(signed))).toBe(false);
	});

	test('W6: When two secrets sign, then receivers with either of them accept it, and no others', () => {
		const signed = message({ secrets: [secret, old] });
		const headers = sign(signed);
		expect(headers['webhook-signature'].split(' ')).toHaveLength(2);
		expect([secret, old, foreign].map((one) => accepts(one, signed.body, headers))).toEqual([true, true, false]);
	});

	test('When id and body are anything that can be sent, then the official library verifies it', () => {
		fc.assert(
			fc.property(fc.stringMatching(/^[\x21-\x7e]{1,64}$/), fc.json(), (id, json) => {
				const signed = message({ id, body: json, secrets: [newSecret()] });
				return accepts(signed.secrets[0]!, signed.body, sign(signed));
			}),
		);
	});
});
