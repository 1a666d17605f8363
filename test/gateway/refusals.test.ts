import { afterEach, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { ScopeRefusals } from '../../services/gateway/authentication/authorize.ts';
import type { Caller } from '../../shared/bus/call.ts';
import type { Params, Principal } from '../../shared/contract/actions.ts';
import { ApiError } from '../../shared/contract/errors.ts';
import { TestClock } from '../accounts/test-clock.ts';
import { until } from '../support/until.ts';
import { exampleBackend } from './support/examples.ts';
import { startGateway, type TestGateway } from './support/start-gateway.ts';

type Told = Params<'accounts.recordRefusal'>;

const MINUTE = 60_000;
const reader = { account_id: 'acc_a', key_id: 'key_a' } as Principal;

/** A recorder whose reports go to `answer`. */
function recorder(answer: (told: Told) => { recorded: boolean } = () => ({ recorded: true })) {
	const told: Told[] = [];
	const caller = {
		async call(_action: string, params: Told) {
			const answered = answer(params);
			told.push(params);
			return answered;
		},
	} as unknown as Caller;
	const clock = new TestClock('2026-11-21T09:30:00.000Z');
	return { told, clock, refusals: new ScopeRefusals(caller, clock, pino({ level: 'silent' })) };
}

describe('refusals for want of a scope', () => {
	test('A3: When a thousand come for one key and operation, then two reports a minute apart have them all', async () => {
		const { told, clock, refusals } = recorder();
		for (let request = 0; request < 1_000; request++) refusals.record(reader, 'createService', 'write');
		expect(told).toEqual([{ ...reader, operation: 'createService', scope: 'write', count: 1 }]);
		clock.advance(MINUTE - 1);
		await refusals.tellDue();
		expect(told).toHaveLength(1);
		clock.advance(1);
		await refusals.tellDue();
		expect(told.map(({ count }) => count)).toEqual([1, 999]);
		clock.advance(10 * MINUTE);
		await refusals.tellDue();
		expect(told).toHaveLength(2);
		refusals.record(reader, 'createService', 'write');
		expect(told.map(({ count }) => count)).toEqual([1, 999, 1]);
	});

	test('When keys and operations differ, then each is told by itself', () => {
		const { told, refusals } = recorder();
		refusals.record(reader, 'createService', 'write');
		refusals.record(reader, 'deleteService', 'write');
		refusals.record({ ...reader, key_id: 'key_b' }, 'createService', 'write');
		expect(told.map(({ key_id, operation }) => `${key_id} ${operation}`)).toEqual([
			'key_a createService',
			'key_a deleteService',
			'key_b createService',
		]);
	});

	test('When the minute has its entry already, or accounts is away, then the count is told later, and none is lost', async () => {
		const answers = [() => ({ recorded: false }), () => Promise.reject(new ApiError('service_unavailable')) as never];
		const { told, clock, refusals } = recorder(() => (answers.shift() ?? (() => ({ recorded: true })))());
		refusals.record(reader, 'createService', 'write');
		await refusals.tellDue();
		refusals.record(reader, 'createService', 'write');
		for (let minute = 0; minute < 3; minute++) {
			clock.advance(MINUTE);
			await refusals.tellDue();
		}
		expect(told.map(({ count }) => count)).toEqual([1, 2, 2]);
	});
});

describe('a gateway', () => {
	let gateway: TestGateway;
	afterEach(() => gateway.stop());

	test('When a key lacks the scope, then it is 403 without waiting for the log, and the log is told', async () => {
		const written = Promise.withResolvers<{ recorded: boolean }>();
		gateway = await startGateway({
			backend: { ...exampleBackend, 'accounts.recordRefusal': () => written.promise },
		});
		const key = gateway.addKey({ scopes: ['read'] });
		const answer = await gateway.client.withKey(key).delete('/v1/bookings/7');
		expect([answer.status, answer.error]).toEqual([403, 'insufficient scope']);
		const [told] = await until(() => {
			const calls = gateway.calls.filter(({ action }) => action === 'accounts.recordRefusal');
			return calls.length > 0 && calls;
		});
		expect(told!.params).toEqual({
			account_id: 'acc_test',
			key_id: 'key_test',
			operation: 'deleteBooking',
			scope: 'write',
			count: 1,
		});
		written.resolve({ recorded: true });
	});

	test('When the account is suspended, then nothing is told', async () => {
		gateway = await startGateway({ backend: exampleBackend });
		await gateway.client.withKey(gateway.addKey({ scopes: ['read'], suspended: true })).delete('/v1/bookings/7');
		expect(gateway.calls.map(({ action }) => action)).toEqual(['accounts.verifyKey']);
	});
});
