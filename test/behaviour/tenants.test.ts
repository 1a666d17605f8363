import { beforeAll, describe, expect, test } from '@jest/globals';
import { operations } from '../../services/gateway/operations/index.ts';
import { eventsUpTo } from '../support/feed.ts';
import type { Answer, Client } from '../support/http-client.ts';
import { type IdInput, idInputs, requestFor } from '../support/id-inputs.ts';
import { newAccount } from '../support/shared-product.ts';
import { settleWorld, type World } from '../support/world.ts';

/** Filters of a list: an id that is not there matches nothing, which is no error. */
const FILTERS = [
	'getServiceAvailability query.time_slot_id',
	'getAvailability query.time_slot_id',
	'listBookings query.time_slot_id',
	'listEvents query.booking_id',
];
/** What is kept of a booking that was deleted */
const OUTLIVING = ['listEvents query.booking_id'];

const NONE = 9007199254740991;
const UNKNOWN = { service: NONE, booking: NONE, slot: NONE, override: NONE, feed: NONE, webhook: NONE, delivery: NONE };

function send(client: Client, input: IdInput, world: World, id: number): Promise<Answer> {
	const { method, path, query, body } = requestFor(input, world, id);
	return client.request(method, path, { query, body });
}

/** All that a client can tell two answers apart by. */
function visible(answer: Answer): unknown {
	const { date: _date, 'x-request-id': _id, ...headers } = answer.headers;
	return { status: answer.status, text: answer.text, headers };
}

/** Every input of every operation that takes an id, from the table of operations: none can be forgotten (A4). */
const inputs = operations.flatMap(idInputs).map((input) => [input.name, input] as const);

/** What all of the refusals have in common, for none of them changes anything: an account, another one's, and what is gone */
let client: Client;
let other: Client;
let mine: World;
let theirs: World;
let gone: World;
let before: Awaited<ReturnType<World['snapshot']>>;
beforeAll(async () => {
	[client, other] = [newAccount(), newAccount()];
	[mine, theirs, gone] = [await settleWorld(client), await settleWorld(other), await settleWorld(client)];
	const { service, booking, webhook } = gone.ids;
	for (const doomed of [`bookings/${booking}`, `services/${service}`, `webhooks/${webhook}`]) {
		(await client.delete(`/v1/${doomed}`)).mustBe(200);
	}
	before = await theirs.snapshot();
});

describe.each(inputs)('%s', (name, input) => {
	test('When it is one’s own, then it is served', async () => {
		const account = newAccount();
		const world = await settleWorld(account);
		const answer = await send(account, input, world, world.ids[input.kind]);
		expect({ status: answer.status, text: answer.text }).toEqual({
			status: input.operation.answer.status,
			text: answer.text,
		});
	});

	test('A4: When it is another account’s, then it is what an unknown one is, byte for byte, and nothing happens', async () => {
		const foreign = await send(client, input, mine, theirs.ids[input.kind]);
		const unknown = await send(client, input, mine, UNKNOWN[input.kind]);
		expect(visible(foreign)).toEqual(visible(unknown));
		expect(foreign.status).toBe(FILTERS.includes(name) ? 200 : 404);
		expect(await theirs.snapshot()).toEqual(before);
	});

	test('When it was deleted, then it is what an unknown one is, byte for byte', async () => {
		const deleted = await send(client, input, mine, gone.ids[input.kind]);
		const unknown = await send(client, input, mine, UNKNOWN[input.kind]);
		if (OUTLIVING.includes(name)) expect(deleted.status).toBe(200);
		else expect(visible(deleted)).toEqual(visible(unknown));
	});
});

test('A4: When all of these were sent, then the next event of the other account is of what it does itself', async () => {
	(await other.patch(`/v1/bookings/${theirs.ids.booking}`, { message: 'the next event' })).mustBe(200);
	const types = (await eventsUpTo(other, 2)).map((event) => event.type);
	expect(types).toEqual(['booking.created', 'booking.updated']);
});

describe('Lists (A4)', () => {
	test('When two accounts have services, slots, bookings and events, then each sees its own only', async () => {
		const [client, other] = [newAccount(), newAccount()];
		const [mine, theirs] = [await settleWorld(client), await settleWorld(other)];
		for (const path of ['/v1/services', '/v1/time-slots']) {
			const { data } = await client.get<Record<string, { id: number }[]>>(path);
			const [name, id] = path === '/v1/services' ? ['services', mine.ids.service] : ['time_slots', mine.ids.slot];
			expect(data[name as string]!.map((row) => row.id)).toEqual([id]);
		}
		const events = await eventsUpTo(client, 1);
		expect(events.map((event) => event.data.id)).toEqual([mine.ids.booking]);
		expect(JSON.stringify(events)).not.toContain((await theirs.snapshot()).service.provider_id);
	});

	test('When the same customer books with two accounts, then neither knows of the other', async () => {
		const [client, other] = [newAccount(), newAccount()];
		const [mine, theirs] = [await settleWorld(client), await settleWorld(other)];
		const email = { email: 'same@example.com' };
		(await client.patch(`/v1/bookings/${mine.ids.booking}/customer`, email)).mustBe(200);
		(await other.patch(`/v1/bookings/${theirs.ids.booking}/customer`, email)).mustBe(200);
		const query = { service_id: mine.ids.service, page: 1, page_size: 10, customer_email: 'same@example.com' };
		const { bookings } = (await client.get<{ bookings: { id: number }[] }>('/v1/bookings', { query })).mustBe(200);
		expect(bookings.map((booking) => booking.id)).toEqual([mine.ids.booking]);
	});
});
