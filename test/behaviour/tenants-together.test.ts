import { describe, expect, test } from '@jest/globals';
import { operations } from '../../services/gateway/operations/index.ts';
import type { Operation } from '../../services/gateway/operations/operation.ts';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import type { BookingEvent } from '../../shared/contract/schemas/event.ts';
import { plusDays } from '../support/calendar.ts';
import { decided } from '../support/decided.ts';
import { eventsOf } from '../support/feed.ts';
import type { Answer, Client } from '../support/http-client.ts';
import { type IdInput, idInputs, ownRequest, requestFor } from '../support/id-inputs.ts';
import { sharedOperator } from '../support/operator.ts';
import {
	activeBookings,
	book,
	bookingBody,
	newCustomer,
	type Place,
	slotOn,
	tryToBook,
} from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';
import { until } from '../support/until.ts';
import { settleWorld, type World } from '../support/world.ts';

const NONE = 9007199254740991;
const UNKNOWN = { service: NONE, booking: NONE, slot: NONE, override: NONE, feed: NONE, webhook: NONE, delivery: NONE };
/** Of each kind of request: enough to be gathered into one batch */
const MANY = 16;

/** All that a client can tell two answers apart by. */
function visible({ status, text, headers: all }: Answer): string {
	const { date: _date, 'x-request-id': _id, ...headers } = all;
	return JSON.stringify({ status, text, headers });
}

function statuses(answers: Answer[]): Record<string, number> {
	const counts: Record<string, number> = {};
	for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
	return counts;
}

/** Sends them in an order in which each account follows another one, and sorts the answers by sender. */
async function together(...senders: (() => Promise<Answer>)[][]): Promise<Answer[][]> {
	const longest = Math.max(...senders.map(({ length }) => length));
	const sent: Promise<Answer>[][] = senders.map(() => []);
	for (let turn = 0; turn < longest; turn++) {
		for (const [index, requests] of senders.entries()) {
			const request = requests[turn];
			if (request !== undefined) sent[index]!.push(request());
		}
	}
	return Promise.all(sent.map((answers) => Promise.all(answers)));
}

function times(count: number, request: (index: number) => Promise<Answer>): (() => Promise<Answer>)[] {
	return Array.from({ length: count }, (_, index) => () => request(index));
}

/** Nothing of the slot's service is anybody else's, and its seats are in order. */
async function expectSound(place: Place): Promise<void> {
	const { findings } = await sharedOperator().ask<{ findings: unknown[] }>('audit', String(place.slot.service_id));
	expect(findings).toEqual([]);
}

describe('One account’s slot (X1)', () => {
	/** Creations that name the owner's slot with another account's key. */
	const foreign = (stranger: Client, place: Place) => times(MANY, () => tryToBook(stranger, place, newCustomer()));

	test('X1: When three accounts book it at the same time, then its owner gets every seat, the others what an unknown slot gets', async () => {
		const [owner, one, other] = [newAccount(), newAccount(), newAccount()];
		const seats = MANY - 4;
		const place = await slotOn(owner, { max_bookings: seats });
		const unknown = visible(await tryToBook(one, { ...place, slot: { ...place.slot, id: NONE } }, newCustomer()));
		for (const date of [place.date, plusDays(place.date, 7), plusDays(place.date, 14)]) {
			const there = { ...place, date };
			const own = times(MANY, () => tryToBook(owner, there, newCustomer()));
			const answers = await together(foreign(one, there), own, foreign(other, there));
			expect(statuses(answers[1]!)).toEqual({ 201: seats, 400: MANY - seats });
			for (const answer of [...answers[0]!, ...answers[2]!]) expect(visible(answer)).toBe(unknown);
		}
		expect(await activeBookings(owner, place.service.id)).toHaveLength(3 * seats);
		expect([...(await eventsOf(one)), ...(await eventsOf(other))]).toEqual([]);
		await expectSound(place);
	});

	/** Other accounts try to book the owner's slot for as long as the work lasts. */
	async function besideStrangers(place: Place, work: () => Promise<Answer[]>): Promise<[Answer[], Answer[]]> {
		const tried: Answer[] = [];
		let isDone = false;
		const strangers = times(8, async () => {
			const stranger = newAccount();
			do tried.push(await tryToBook(stranger, place, newCustomer()));
			while (!isDone);
			return tried[0]!;
		});
		const trying = strangers.map((stranger) => stranger());
		const answers = await work().finally(() => {
			isDone = true;
		});
		await Promise.all(trying);
		return [answers, tried];
	}

	test('X1: When others try to book it, then the owner’s moves and returns from cancelled are what they are alone', async () => {
		const owner = newAccount();
		const place = await slotOn(owner, { max_bookings: MANY });
		const there = { ...place, date: plusDays(place.date, 7) };
		const bookings: Booking[] = [];
		for (let count = MANY; count > 0; count--) bookings.push(await book(owner, place, newCustomer()));
		const change = async (changes: Record<string, unknown>) => {
			const patch = ({ id }: Booking) => owner.patch(`/v1/bookings/${id}`, changes);
			const [answers, tried] = await besideStrangers(there, () => Promise.all(bookings.map(patch)));
			expect([statuses(answers), Object.keys(statuses(tried))]).toEqual([{ 200: MANY }, ['404']]);
		};
		for (let round = 0; round < 2; round++) {
			await change({ date: there.date });
			await change({ status: 'cancelled', cancel_reason: 'ill' });
			await change({ status: 'pending' });
			await change({ date: place.date });
		}
		await expectSound(place);
	});

	test('X1: When two accounts send one Idempotency-Key at the same time, then each gets a booking, and a replay, of its own', async () => {
		const clients = [newAccount(), newAccount()];
		const places = [await slotOn(clients[0]!, { max_bookings: 3 }), await slotOn(clients[1]!, { max_bookings: 3 })];
		const options = { headers: { 'idempotency-key': '"the-same-text"' } };
		const customer = newCustomer();
		const requests = clients.map((client, at) =>
			times(8, () => client.post('/v1/bookings', bookingBody(places[at]!, customer), options)),
		);
		const answers = await together(...requests);
		for (const [at, own] of answers.entries()) {
			const [made] = await activeBookings(clients[at]!, places[at]!.service.id);
			expect(own.map(({ status }) => status)).toEqual(own.map(() => 201));
			expect(new Set((own as Answer<Booking>[]).map(({ data }) => data.id))).toEqual(new Set([made!.id]));
		}
	});
});

interface Tenant {
	client: Client;
	world: World;
}

const newTenant = async (): Promise<Tenant> => {
	const client = newAccount();
	return { client, world: await settleWorld(client) };
};

/** Whatever takes an id, from the table of operations: none can be forgotten. */
const inputs = operations.flatMap(idInputs);

/** Of those of another subject, one in so many is sent beside an operation, others beside the next one; nightly 1: all */
const ONE_IN = Number(process.env.FOREIGN_SUBJECTS ?? 6);

/** Those that are sent beside an operation. */
function inputsBeside(operation: Operation): IdInput[] {
	const turn = operations.indexOf(operation);
	return inputs.filter((input, index) => input.operation.tag === operation.tag || (index + turn) % ONE_IN === 0);
}

/** Each of them with an id that is not the sender's. */
function attacks({ client, world }: Tenant, chosen: IdInput[], ids: World['ids']): (() => Promise<Answer>)[] {
	return chosen.map((input) => () => {
		const { method, path, query, body } = requestFor(input, world, ids[input.kind]);
		const send = () => client.request(method, path, { query, body });
		return method === 'GET' ? decided(send) : send();
	});
}

/** The same valid request of one's own, a few times at once. */
function own(operation: Operation, { client, world }: Tenant): (() => Promise<Answer>)[] {
	const { method, path, query, body } = ownRequest(operation, world);
	const headers: Record<string, string> = operation.headers.idempotencyKey ? { 'idempotency-key': 'shared' } : {};
	const send = () => client.request(method, path, { query, body, headers });
	return times(4, () => (method === 'GET' ? decided(send) : send()));
}

const typesOf = (events: BookingEvent[]) => events.map(({ type }) => type).sort();

/** What an answer says, but for what differs between two accounts that do the same. */
const outcome = ({ status, text }: Answer) => (status < 300 ? String(status) : `${status} ${text}`);

describe.each(operations.map((operation) => [operation.id, operation] as const))('%s', (_, operation) => {
	test('X1: When three accounts send it while each attacks another’s ids, then each gets what it gets alone', async () => {
		const beside = inputsBeside(operation);
		const tenants = [await newTenant(), await newTenant(), await newTenant()];
		const alone = await newTenant();
		const expected = (await together(own(operation, alone)))[0]!.map(outcome);
		const unknown = await Promise.all(tenants.map((tenant) => together(attacks(tenant, beside, UNKNOWN))));
		const senders = tenants.flatMap((tenant, at) => [
			own(operation, tenant),
			attacks(tenant, beside, tenants[(at + 1) % tenants.length]!.world.ids),
		]);
		const answers = await together(...senders);
		const after = await Promise.all(tenants.map((tenant) => together(attacks(tenant, beside, UNKNOWN))));

		const success = String(operation.answer.status);
		for (const [at, tenant] of tenants.entries()) {
			const [mine, foreign] = [answers[2 * at]!, answers[2 * at + 1]!];
			const outcomes = mine.map(outcome);
			const allowed = [...expected, success];
			// How many of several DELETEs are told that it was theirs depends on when the first one is answered.
			if (operation.method !== 'DELETE') expect(allowed).toEqual(expect.arrayContaining(outcomes));
			expect(outcomes.includes(success)).toBe(expected.includes(success));
			for (const [index, answer] of foreign.entries()) {
				// What else the request names is its sender's, and may have gone with what it sent itself.
				const possible = [unknown[at]![0]![index]!, after[at]![0]![index]!].map(visible);
				expect({ of: beside[index]!.name, possible }).toEqual({
					of: beside[index]!.name,
					possible: expect.arrayContaining([visible(answer)]),
				});
			}
			const events = await until(async () => {
				const own = await eventsOf(tenant.client);
				expect(typesOf(own)).toEqual(typesOf(await eventsOf(alone.client)));
				return own;
			});
			expect(new Set(events.map(({ data }) => data.user_id)).size).toBe(1);
		}
	});
});
