import type { Operation } from '../../services/gateway/operations/operation.ts';
import type { ErrorType } from '../../shared/contract/errors.ts';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import { plusDays } from '../support/calendar.ts';
import type { Answer, Client } from '../support/http-client.ts';
import { idInputs, requestFor } from '../support/id-inputs.ts';
import { getBooking, newCustomer, newFeed } from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';
import { until } from '../support/until.ts';
import { type Prepared, perform, performBare, type Stage, setStage } from './stage.ts';

type Provoke = (operation: Operation, prepared: Prepared) => Promise<Answer>;

const UNKNOWN = 999_999_999;
const json = { 'content-type': 'application/json' };

/** How each error is caused, at any operation that is said to answer it. */
export const provocations: Partial<Record<ErrorType, Provoke>> = {
	invalid_request: (operation) => performBare(operation, newAccount(), { query: { nonsense: 1 } }),
	malformed_json: (operation) => performBare(operation, newAccount(), { body: undefined, raw: '{', headers: json }),
	missing_api_key: (operation) => performBare(operation, newAccount().withKey(undefined)),
	invalid_api_key: (operation) => performBare(operation, newAccount().withKey('slw_nonsense')),
	insufficient_scope: (operation, { reader, writer }) =>
		performBare(operation, operation.scope === 'read' ? writer : reader),
	account_suspended: (operation, { suspended }) => performBare(operation, suspended),
	request_timeout: (operation, { stalled }) => stalled.get(operation.id)!,
	body_too_large: (operation) =>
		performBare(operation, newAccount(), { raw: ' '.repeat(operation.body!.limit + 1), headers: json }),
	unsupported_media_type: (operation) =>
		performBare(operation, newAccount(), { raw: 'x', headers: { 'content-type': 'text/plain' } }),

	rate_limit_exceeded: (operation) => {
		const client = newAccount('Starter');
		return refusedAmong(() => [...times(12, () => client.get('/v1/usage')), performBare(operation, client)]);
	},
	booking_rate_limit_exceeded: (operation) => {
		const client = newAccount('Starter');
		return refusedAmong(() => times(8, () => performBare(operation, client)));
	},

	service_not_found: (operation) => unknownOf('service', operation),
	time_slot_not_found: (operation) => unknownOf('slot', operation),
	booking_not_found: (operation) => unknownOf('booking', operation),
	date_override_not_found: (operation) => unknownOf('override', operation),
	calendar_feed_not_found: (operation) => unknownOf('feed', operation),
	webhook_not_found: (operation) => unknownOf('webhook', operation),
	delivery_not_found: (operation) => unknownOf('delivery', operation),

	version_mismatch: async (operation) => perform(await setStage(operation), { headers: { 'if-match': '"999"' } }),
	version_conflict: async (operation) => perform(await setStage(operation), { body: { version: 999 } }),
	idempotency_key_reused: async (operation) => {
		const stage = await setStage(operation);
		const text = 'message' in operation.body!.schema.properties ? 'message' : 'description';
		const headers = { 'idempotency-key': 'once' };
		(await perform(stage, { headers })).mustBe(201);
		return perform(stage, { headers, body: { [text]: 'something else' } });
	},

	unprocessable: async (operation) => perform(await setStage(operation), { body: { timezone: 'Mars/Base' } }),
	services_limit_reached: (operation) => untilRefused(operation, newAccount('Developer'), 26),
	calendar_feeds_limit_reached: async (operation) => {
		const stage = await setStage(operation);
		for (let made = 1; made < 10; made++) await newFeed(stage.client, stage.world.ids.service);
		return perform(stage);
	},
	webhooks_limit_reached: (operation) => untilRefused(operation, newAccount(), 26),
	webhooks_per_url_reached: async (operation) => {
		const stage = await setStage(operation);
		const url = 'http://127.0.0.1:9/popular';
		for (let enabled = 0; enabled < 5; enabled++) {
			(await stage.client.post('/v1/webhooks', { url, events: ['*'] })).mustBe(201);
		}
		return perform(stage, { body: { url } });
	},
	webhook_disabled: async (operation) => {
		const stage = await setStage(operation);
		(await stage.client.patch(`/v1/webhooks/${stage.world.ids.webhook}`, { enabled: false })).mustBe(200);
		return perform(stage);
	},

	cancel_reason_required: async (operation) => perform(await setStage(operation), { body: { status: 'cancelled' } }),
	hold_expired: async (_, { held }) => {
		const { expires_at } = await getBooking(held.client, held.world.ids.booking);
		await until(() => Date.now() > Date.parse(expires_at!), { what: 'the end of a hold' });
		return perform(held, { body: { status: 'confirmed' } });
	},
	time_slot_full: async (operation) => {
		const stage = await setStage(operation);
		const { client, world } = stage;
		if (operation.id === 'updateBooking') await cancel(stage);
		(await client.patch('/v1/time-slots', { time_slots: [{ id: world.ids.slot, max_bookings: 1 }] })).mustBe(200);
		if (operation.id === 'updateBooking') await bookAs(stage, newCustomer());
		return perform(stage);
	},
	closed: async (operation) => {
		const stage = await setStage(operation);
		const { client, world } = stage;
		if (operation.id === 'updateBooking') await cancel(stage);
		(await client.patch('/v1/time-slots', { time_slots: [{ id: world.ids.slot, max_bookings: 0 }] })).mustBe(200);
		return perform(stage);
	},
	notice: (operation) => underRules(operation, { min_notice_minutes: 0 }, -100),
	horizon: (operation) => underRules(operation, { max_advance_days: 1 }, 100),
	duplicate_booking: async (operation) => {
		const stage = await setStage(operation);
		const { email } = (await getBooking(stage.client, stage.world.ids.booking)).customer;
		if (operation.id === 'createBooking') return perform(stage, { body: { customer_email: email } });
		if (operation.id === 'updateBooking') {
			await cancel(stage);
			await bookAs(stage, { customer_email: email });
			return perform(stage);
		}
		const other = newCustomer();
		await bookAs(stage, other);
		return perform(stage, { body: { email: other.customer_email } });
	},
};

/** Asks for a date that is about so many years away. */
async function underRules(operation: Operation, rules: object, years: number): Promise<Answer> {
	const stage = await setStage(operation);
	const { client, world } = stage;
	const { date } = await getBooking(client, world.ids.booking);
	(await client.patch(`/v1/services/${world.ids.service}`, { rules })).mustBe(200);
	return perform(stage, { body: { date: plusDays(date, years * 364) } });
}

/** What this product does not answer on demand, and why; test/gateway/openapi-errors.test.ts has the answers. */
export const elsewhere: Partial<Record<ErrorType, string>> = {
	internal_error: 'a bug',
	service_unavailable: 'a part is away: test/faults',
	gateway_timeout: 'a part hangs: test/faults',
	events_expired: 'takes 30 days; of an `after` beyond the end: test/behaviour/feed.test.ts',
	date_overrides_limit_reached: 'takes a thousand of them: test/behaviour/date-overrides',
	request_in_progress: 'the first request must take longer than the second one waits',
};

function times<T>(count: number, run: () => T): T[] {
	return Array.from({ length: count }, run);
}

/** Sends at once until the last one, which is the operation, is refused: the bucket refills meanwhile. */
function refusedAmong(send: () => Promise<Answer>[]): Promise<Answer> {
	return until(async () => {
		const last = (await Promise.all(send())).at(-1)!;
		return last.status === 429 && last;
	});
}

async function unknownOf(kind: string, operation: Operation): Promise<Answer> {
	const { client, world } = await setStage(operation);
	const input = idInputs(operation).find((one) => one.kind === kind)!;
	const { method, path, query, body } = requestFor(input, world, UNKNOWN);
	return client.request(method, path, { query, body });
}

/** Makes as many as there may be, and one more. */
async function untilRefused(operation: Operation, client: Client, attempts: number): Promise<Answer> {
	const { url: _, time_slots: __, ...rest } = operation.body!.example as { url?: string; time_slots?: object[] };
	const own = (attempt: number) =>
		operation.id === 'createWebhook'
			? { ...rest, url: `http://127.0.0.1:9/${attempt}` } // few may have the same one
			: { ...rest, time_slots: [] };
	return until(
		async () => {
			for (let attempt = 0; attempt < attempts; attempt++) {
				const answer = await client.post(operation.path, own(attempt));
				if (answer.status === 422) return answer;
			}
			return false;
		},
		{ interval: 1_000, what: 'a limit of the plan' },
	);
}

async function cancel({ client, world }: Stage): Promise<void> {
	const body = { status: 'cancelled', cancel_reason: 'Caught a cold' };
	(await client.patch(`/v1/bookings/${world.ids.booking}`, body)).mustBe(200);
}

async function bookAs({ client, world }: Stage, customer: object): Promise<void> {
	const body = { date: world.date, time_slot_id: world.ids.slot, ...customer };
	(await client.post<Booking>('/v1/bookings', body)).mustBe(201);
}
