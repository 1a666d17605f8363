import { describe, expect, test } from '@jest/globals';
import { type Evidence, nothing } from './oracles/evidence.ts';
import { subscriptions } from './oracles/subscriptions.ts';
import { History } from './workload/history.ts';

const PATH = '/v1/webhooks/1';

/** A webhook whose subscription changes from 100 to 120 ms, and a booking that is made from 105 to 115 ms. */
function changedMeanwhile({ before, after, queued }: { before: string[]; after: string[]; queued: boolean }): Evidence {
	const history = new History();
	const webhook = (version: number, events: string[]) => ({ id: 1, url: '', events, enabled: true, version });
	const ask = (method: string, path: string, began: number, ended: number, data: object, mark?: string) => {
		const operation = history.begin({ client: 'a', account: 0, method, path, began, ...(mark && { mark }) });
		operation.ended = ended;
		operation.answer = { status: 200, headers: {}, body: { data } };
	};
	const booking = {
		...{ id: 7, service_id: 1, time_slot_id: 1, user_id: '', date: '', status: 'pending' as const, expires_at: null },
		...{ message: 'mark', version: 1, customer: { email: null, name: null } },
	};
	ask('POST', '/v1/webhooks', 10, 20, webhook(1, before));
	ask('PATCH', PATH, 100, 120, webhook(2, after));
	ask('POST', '/v1/bookings', 105, 115, booking, 'mark');
	const event = { id: 'evt_7_1', type: 'booking.created', sequence: 1, timestamp: '', data: booking };
	const delivery = { id: 1, webhook_id: 1, event_id: event.id, event_type: event.type };
	const webhooks = [{ ...webhook(2, after), deliveries: queued ? [delivery] : [] }];
	const atRest = [{ ...nothing(), events: [event], webhooks }];
	const none = { tenants: [], outages: [], ends: [], clocks: [], clocksApart: 0, ended: 1_000, documents: () => [] };
	return { ...none, history, atRest, written: new Map(), logged: new Map([[event.id, 116]]) };
}

describe('Whether an event was queued for a webhook', () => {
	const created = ['booking.created'];

	test('When it may have happened under two subscriptions, and both are to it, then it is missed', () => {
		const [finding, ...others] = subscriptions(changedMeanwhile({ before: ['*'], after: created, queued: false }));
		expect(finding).toMatchObject({ rule: 'subscribed = delivered (X14)' });
		expect(others).toEqual([]);
	});

	test('When one of them is not to it, or it was queued, then nothing is wrong', () => {
		const other = ['booking.deleted'];
		expect(subscriptions(changedMeanwhile({ before: other, after: created, queued: false }))).toEqual([]);
		expect(subscriptions(changedMeanwhile({ before: ['*'], after: other, queued: false }))).toEqual([]);
		expect(subscriptions(changedMeanwhile({ before: ['*'], after: created, queued: true }))).toEqual([]);
	});
});
