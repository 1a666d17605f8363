import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Authenticator } from '../../services/gateway/authentication/authenticate.ts';
import type { Caller } from '../../shared/bus/call.ts';
import { ACCOUNTS_CHANGED, type AccountsChanged } from '../../shared/contract/actions/accounts.ts';
import { ApiError } from '../../shared/contract/errors.ts';
import type { Clock } from '../../shared/engine/clock.ts';
import { createApiKey } from '../../shared/secrets/api-key.ts';
import { until } from '../support/until.ts';
import { exampleBackend } from './support/examples.ts';
import { startGateway, type TestGateway } from './support/start-gateway.ts';

/** A clock that moves when it is told to. */
class TestClock implements Clock {
	ms = 1_000_000;
	now = () => this.ms;
	monotonic = () => this.ms;
}

const clock = new TestClock();
let gateway: TestGateway;
beforeAll(async () => {
	gateway = await startGateway({ backend: exampleBackend, clock });
});
afterAll(() => gateway.stop());
beforeEach(() => {
	gateway.calls.length = 0;
});

const withHeader = (authorization: string) =>
	gateway.client.withKey(undefined).get('/v1/bookings/7', { headers: { authorization } });
const withKey = (key: string) => gateway.client.withKey(key).get('/v1/bookings/7');
const lookUps = () => gateway.calls.filter((call) => call.action === 'accounts.verifyKey').length;

describe('refusals', () => {
	test('When there is no key, then 401 `missing API key` with the scheme to use', async () => {
		for (const answer of [await gateway.client.withKey(undefined).get('/v1/bookings/7'), await withHeader('')]) {
			expect([answer.status, answer.error]).toEqual([401, 'missing API key']);
			expect(answer.headers['www-authenticate']).toBe('Bearer');
		}
	});

	test('A1: When a key is malformed or its checksum wrong, then 401, one body, and no call', async () => {
		const good = gateway.addKey();
		const wrong = good.slice(0, -1) + (good.endsWith('0') ? '1' : '0');
		for (const header of ['Bearer', 'Basic YTpi', good, `Bearer  ${good} x`, 'Bearer slw_', `Bearer ${wrong}`]) {
			const answer = await withHeader(header);
			expect([answer.status, answer.text]).toEqual([401, '{"error":"invalid API key","code":"invalid_api_key"}']);
			expect(answer.headers['www-authenticate']).toBe('Bearer');
		}
		expect(gateway.calls).toEqual([]);
	});

	test('A1: When a key is unknown or expired, then the same body', async () => {
		const expired = gateway.addKey({ expires_at: clock.now() });
		for (const key of [createApiKey(), expired]) {
			const answer = await withKey(key);
			expect([answer.status, answer.text]).toEqual([401, '{"error":"invalid API key","code":"invalid_api_key"}']);
		}
	});

	test('When the account is suspended, then 403', async () => {
		const { status, error } = await withKey(gateway.addKey({ suspended: true }));
		expect([status, error]).toEqual([403, 'account suspended']);
	});

	test('When the scheme is written in any case, then the key is taken', async () => {
		for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
			expect((await withHeader(`${scheme} ${gateway.client.key}`)).status).toBe(200);
		}
	});
});

describe('look-ups', () => {
	test('When many requests carry a key at once, then it is looked up once', async () => {
		const answer = Promise.withResolvers<unknown>();
		let asked = 0;
		const call = () => {
			asked++;
			return answer.promise;
		};
		const authenticator = new Authenticator({ call } as Caller, clock);
		const key = `Bearer ${createApiKey()}`;
		const requests = Array.from({ length: 20 }, () => authenticator.authenticate(key, 'id'));
		answer.resolve({ account_id: 'a', expires_at: null });
		for (const principal of await Promise.all(requests)) expect(principal.account_id).toBe('a');
		expect(asked).toBe(1);
	});

	test('When a look-up fails, then the next request looks again', async () => {
		const answers = [Promise.reject(new ApiError('service_unavailable')), Promise.resolve(null)];
		const authenticator = new Authenticator({ call: () => answers.shift() } as unknown as Caller, clock);
		const key = `Bearer ${createApiKey()}`;
		await expect(authenticator.authenticate(key, 'id')).rejects.toThrow('service unavailable');
		await expect(authenticator.authenticate(key, 'id')).rejects.toThrow('invalid API key');
	});

	test('A3: When a key is revoked, then it works for less than 5 s more', async () => {
		const key = gateway.addKey();
		expect((await withKey(key)).status).toBe(200);
		gateway.removeKey(key);
		expect((await withKey(key)).status).toBe(200);
		clock.ms += 4_500;
		expect((await withKey(key)).status).toBe(401);
	});

	test('When a key expires, then it stops working at that moment', async () => {
		const key = gateway.addKey({ expires_at: clock.now() + 1_000 });
		clock.ms += 999;
		expect((await withKey(key)).status).toBe(200);
		clock.ms += 1;
		expect((await withKey(key)).status).toBe(401);
		expect(lookUps()).toBe(1);
	});

	test('When an unknown key is sent again, then it is not looked up again, and works soon after it is created', async () => {
		const key = createApiKey();
		for (let request = 0; request < 5; request++) expect((await withKey(key)).status).toBe(401);
		expect(lookUps()).toBe(1);
		clock.ms += 1_001;
		expect((await withKey(key)).status).toBe(401);
		expect(lookUps()).toBe(2);
	});

	test('When a thousand invented keys come, then a good one stays known', async () => {
		const key = gateway.addKey();
		await withKey(key);
		await Promise.all(Array.from({ length: 1_000 }, () => withKey(createApiKey())));
		gateway.calls.length = 0;
		expect((await withKey(key)).status).toBe(200);
		expect(lookUps()).toBe(0);
	});
});

describe('changes by an operator', () => {
	const changed = (change: AccountsChanged) => gateway.broker.broadcast(ACCOUNTS_CHANGED, change);
	beforeEach(() => {
		clock.ms += 60_000; // what failed before counts no more for the address
	});

	test('A3: When the broadcast of a revocation comes, then the key is refused at once, and other accounts keep theirs', async () => {
		const [revoked, other] = [gateway.addKey({ account_id: 'acc_1' }), gateway.addKey({ account_id: 'acc_2' })];
		for (const key of [revoked, other]) expect((await withKey(key)).status).toBe(200);
		gateway.removeKey(revoked);
		gateway.calls.length = 0;
		await changed({ account_id: 'acc_1' });
		expect((await withKey(revoked)).status).toBe(401);
		expect((await withKey(other)).status).toBe(200);
		expect(lookUps()).toBe(1);
	});

	test('When a plan changes, then the keys on it are looked up again, and no others', async () => {
		const onPlan = (name: string) => gateway.addKey({ package: { name, rate: null, burst: null } });
		const [gold, silver] = [onPlan('Gold'), onPlan('Silver')];
		for (const key of [gold, silver]) await withKey(key);
		gateway.calls.length = 0;
		await changed({ package: 'Gold' });
		for (const key of [gold, silver]) await withKey(key);
		expect(lookUps()).toBe(1);
	});

	test('A3: When a look-up is under way as the broadcast comes, then its answer serves nobody who comes later', async () => {
		const before = Promise.withResolvers<unknown>();
		const answers = [before.promise, Promise.resolve(null)];
		const authenticator = new Authenticator({ call: () => answers.shift() } as unknown as Caller, clock);
		const key = `Bearer ${createApiKey()}`;
		const early = authenticator.authenticate(key, 'id');
		authenticator.forget({ account_id: 'a' });
		await expect(authenticator.authenticate(key, 'id')).rejects.toThrow('invalid API key');
		before.resolve({ account_id: 'a', expires_at: null, package: { name: 'x' } });
		expect((await early).account_id).toBe('a');
		await expect(authenticator.authenticate(key, 'id')).rejects.toThrow('invalid API key');
	});
});

test('A3: When the answer of a look-up takes long, then the key is believed for as much shorter', async () => {
	const slow = Promise.withResolvers<void>();
	const principal = { account_id: 'a', key_id: 'k', scopes: ['read' as const], suspended: false, expires_at: null };
	const package_ = { name: 'Unlimited', rate: null, burst: null };
	const quota = { month: '2026-11', requests: 0, limit: null };
	const own = await startGateway({
		clock,
		backend: {
			...exampleBackend,
			'accounts.verifyKey': async () => {
				await slow.promise;
				return { ...principal, package: package_, quota };
			},
		},
	});
	try {
		const first = own.client.get('/v1/bookings/7');
		await until(() => own.calls.length === 1, { what: 'the look-up' });
		clock.ms += 3_900;
		slow.resolve();
		expect((await first).status).toBe(200);
		clock.ms += 200;
		await own.client.get('/v1/bookings/7');
		expect(own.calls.filter((call) => call.action === 'accounts.verifyKey')).toHaveLength(2);
	} finally {
		await own.stop();
	}
});
