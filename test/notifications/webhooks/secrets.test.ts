import { expect, test } from '@jest/globals';
import { newSecret, openSecrets, rotated, sealSecret } from '../../../services/notifications/webhooks/store/secrets.ts';
import { rotateSecret } from '../../../services/notifications/webhooks/use-cases/change-webhook.ts';
import { createWebhook } from '../../../services/notifications/webhooks/use-cases/create-webhook.ts';
import { rewrapSecrets } from '../../../services/notifications/webhooks/use-cases/rewrap-secrets.ts';
import { SKEW } from '../../../shared/engine/clock.ts';
import { SecretBox } from '../../../shared/secrets/secret-box.ts';
import { Deadline } from '../../../shared/work/deadline.ts';
import { newEvent } from '../new-events.ts';
import { describeForms } from '../service-world.ts';
import { EngineWorld } from './engine-world.ts';

const HOUR = 3_600_000;

describeForms('W6: secrets', (openWorld) => {
	test('When webhooks are created under keys, and rotated, then the store holds no secret that could be read', async () => {
		const world = await EngineWorld.open(await openWorld());
		const idempotency = { key: 'k', fingerprint: 'f' };
		const params = { account_id: 'a', body: { url: 'http://127.0.0.1/' }, idempotency };
		const { data } = await createWebhook(world.webhooks, params, new Deadline(60_000));
		const { secret } = await rotateSecret(world.webhooks, { account_id: 'a', webhook_id: data.id });
		const stored = JSON.stringify(await world.rows.webhooks.find({ account_id: 'a' }).lean());
		for (const each of [data.secret, secret]) expect(stored).not.toContain(each.slice('whsec_'.length));
		expect(stored).not.toContain('whsec_');
		const again = await createWebhook(world.webhooks, params, new Deadline(60_000));
		expect(again).toEqual({ data, replayed: true });
		world.world.clock.advance(24 * HOUR + SKEW + 1);
		expect((await createWebhook(world.webhooks, params, new Deadline(60_000))).data.id).not.toBe(data.id);
	});

	test('When a secret was rotated, then both sign for 24 hours by every clock, then the new one alone', async () => {
		const world = await EngineWorld.open(await openWorld());
		const first = await world.webhook('a', () => ({ status: 204 }));
		const second = await rotateSecret(world.webhooks, { account_id: 'a', webhook_id: first.id });
		await world.engine();
		const signers = async (booking: number) => {
			await world.append('a', [newEvent('a', booking)]);
			await world.settled('a', (all) => all.length === booking && all.every(({ status }) => status === 'delivered'));
			const { headers } = world.sent.at(-1)!;
			expect(Number(headers['webhook-timestamp'])).toBe(Math.floor(world.world.clock.now() / 1_000));
			return headers['webhook-signature']!.split(' ').length;
		};
		expect(await signers(1)).toBe(2);
		await world.pass(24 * HOUR + SKEW - 1);
		expect(await signers(2)).toBe(2);
		await world.pass(1);
		expect(await signers(3)).toBe(1);
		expect(second.secret).not.toBe(first.secret);
	});

	test('When the secret was sealed with another key, then the attempt fails and says what to do; a rotation mends it', async () => {
		const world = await EngineWorld.open(await openWorld());
		const { id } = await world.webhook('a', () => ({ status: 204 }));
		const foreign = new SecretBox([Buffer.alloc(32, 9)]).seal('whsec_AAAA', `webhook:${id}`);
		await world.rows.webhooks.updateOne({ account_id: 'a', _id: id }, { $set: { secret: foreign } });
		await world.engine();
		await world.append('a', [newEvent('a', 1)]);
		const [failed] = await world.settled('a', ([one]) => one?.attempts.length === 1);
		expect(failed!.attempts[0]).toMatchObject({ status: null, error: 'it could not be signed: rotate the secret' });
		expect(world.sent).toEqual([]);
		await rotateSecret(world.webhooks, { account_id: 'a', webhook_id: id });
		await world.pass(5_000);
		await world.settled('a', ([one]) => one?.status === 'delivered');
		expect(world.sent[0]!.headers['webhook-signature']!.split(' ')).toHaveLength(1);
	});

	test('D4: When a change rests on what was read before it was sealed anew, then it is made again, and the old key is out', async () => {
		const world = await EngineWorld.open(await openWorld());
		const { id } = await world.webhook('a', () => ({ status: 204 }));
		const { endpoints } = world.webhooks.store;
		const [next, old] = [Buffer.alloc(32, 8), Buffer.alloc(32, 7)];
		const secretBox = new SecretBox([next, old]);
		const webhooks = { ...world.webhooks, secretBox };
		const asRead = await endpoints.find({ account_id: 'a', webhook_id: id });
		expect(await rewrapSecrets(webhooks, { after: 0 })).toEqual({ webhooks: 1, sealed: 1, closed: [], next: null });
		const late = rotated(asRead, sealSecret(secretBox, id, newSecret()), world.world.clock.now());
		expect(await endpoints.change(asRead, late)).toBe(false);
		await rotateSecret(webhooks, { account_id: 'a', webhook_id: id });
		expect(await rewrapSecrets(webhooks, { after: 0 })).toEqual({ webhooks: 1, sealed: 0, closed: [], next: null });
		const stored = await endpoints.find({ account_id: 'a', webhook_id: id });
		expect(openSecrets(new SecretBox([next]), stored, world.world.clock.now())).toHaveLength(2);
	});
});
