import { describe, expect, test } from '@jest/globals';
import type { Availability, ServicesAvailability } from '../../shared/contract/schemas/availability.ts';
import type { RulesChange } from '../../shared/contract/schemas/rules.ts';
import { dateOn, plusDays } from '../support/calendar.ts';
import { decided } from '../support/decided.ts';
import { expectError, expectRefusal } from '../support/expectations.ts';
import type { Client } from '../support/http-client.ts';
import { book, createService, overrideDates, slotInput, slotsOf } from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';

const PATH = '/v1/availability';
const FROM = dateOn(0);
const TO = plusDays(FROM, 20);

async function rowsOf(client: Client, service_ids: number[], query: object = {}) {
	const options = { query: { service_ids: service_ids.join(','), from: FROM, to: TO, ...query } };
	const data = (await client.get<ServicesAvailability>(PATH, options)).mustBe(200);
	expect(Object.keys(data)).toEqual(['availability']);
	return data.availability;
}

/** Three services with a slot or two on Mondays and Wednesdays; in the second, one is closed and one is full. */
async function settle(client: Client) {
	const days = [[3, 1], [1, 1], [3]];
	const ids: number[] = [];
	for (const weekdays of days) {
		const time_slots = weekdays.map((day_of_week) => slotInput({ day_of_week }));
		ids.push((await createService(client, { time_slots })).id);
	}
	const [closed, full] = await slotsOf(client, ids[1]!);
	await overrideDates(client, ids[1]!, { time_slot_id: closed!.id, date_from: FROM, date_to: plusDays(FROM, 6) });
	await book(client, { slot: full!, date: dateOn(1) });
	return { ids, full: full! };
}

describe('S6: GET /v1/availability (contract §4)', () => {
	test('S6: When several services are asked for, in whatever order, then their rows come by date, service and slot, each as its service tells it', async () => {
		const client = newAccount();
		const { ids } = await settle(client);
		const rows = await rowsOf(client, [ids[2]!, ids[0]!, ids[1]!]);
		const order = rows.map(({ date, service_id, time_slot_id }) => [date, service_id, time_slot_id] as const);
		expect(order).toEqual(order.toSorted((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : a[1] - b[1] || a[2] - b[2])));
		expect(rows).toHaveLength(3 * 5);
		for (const id of ids) {
			const path = `/v1/services/${id}/availability?from=${FROM}&to=${TO}`;
			const { availability } = (await client.get<Availability>(path)).mustBe(200);
			const ofService = rows.filter(({ service_id }) => service_id === id);
			expect(ofService).toEqual(availability.map((row) => ({ service_id: id, ...row })));
		}
		expect(new Set(rows.map(({ reason }) => reason))).toEqual(new Set([null, 'closed', 'full']));
	});

	test('S6: When only a slot, or only what can be booked, is asked for, then the other rows of all services are left out', async () => {
		const client = newAccount();
		const { ids, full } = await settle(client);
		const every = await rowsOf(client, ids);
		for (const bookable of [true, false]) {
			const found = await rowsOf(client, ids, { bookable });
			expect(found).toEqual(every.filter((row) => row.bookable === bookable));
			expect(found.length).toBeGreaterThan(0);
		}
		expect(await rowsOf(client, ids, { time_slot_id: full.id })).toEqual(
			every.filter(({ time_slot_id }) => time_slot_id === full.id),
		);
		expect(await rowsOf(client, ids, { time_slot_id: 999_999_999 })).toEqual([]);
	});

	test('S6: When services have rules, then each row is judged by those of its own', async () => {
		const client = newAccount();
		const make = async (rules: RulesChange) => (await createService(client, { time_slots: [slotInput()], rules })).id;
		const [far, near] = [await make({ max_advance_days: 1 }), await make({})];
		const on = plusDays(dateOn(1), 70);
		const rows = await rowsOf(client, [near, far], { from: on, to: on });
		expect(rows).toMatchObject([
			{ service_id: far, reason: 'horizon', bookable: false },
			{ service_id: near, reason: null, bookable: true },
		]);
	});

	test('S6: When one of the services is another account’s or was deleted, then it is 404, whatever the others are', async () => {
		const [client, other] = [newAccount(), newAccount()];
		const [mine, gone] = [await createService(client), await createService(client)];
		const theirs = await createService(other, { time_slots: [slotInput()] });
		(await client.delete(`/v1/services/${gone.id}`)).mustBe(200);
		expect(await rowsOf(client, [mine.id])).toEqual([]);
		for (const id of [theirs.id, gone.id, 9007199254740991]) {
			for (const service_ids of [`${id}`, `${mine.id},${id}`, `${id},${mine.id}`]) {
				const answer = await client.get(PATH, { query: { service_ids, from: FROM, to: TO } });
				expectError(answer, 404, 'service not found');
			}
		}
	});

	test('S6: When 20 services are asked for, then they are answered, and 21 are 400, as is whatever is no list of ids', async () => {
		const client = newAccount('Unlimited');
		const ids: number[] = [];
		for (let count = 0; count < 20; count++) {
			ids.push((await createService(client, { time_slots: [slotInput()] })).id);
		}
		expect((await rowsOf(client, ids)).map(({ service_id }) => service_id)).toEqual([...ids, ...ids, ...ids]);
		const refused = async (service_ids: string, ...fields: string[]) => {
			expectRefusal(await client.get(PATH, { query: { service_ids, from: FROM, to: TO } }), 400, ...fields);
		};
		await refused([...ids, 1].join(','), 'service_ids');
		await refused(`${ids[0]},${ids[1]},${ids[0]}`, 'service_ids');
		for (const text of ['', 'a', '1.5', '-1', '0', '01', '1 ', 'null']) await refused(text, 'service_ids[0]');
		await refused('1,x,3', 'service_ids[1]');
		await refused('1,', 'service_ids[1]');
	});

	test('S6: When there are more than 50,000 rows, then it is 400, and fewer dates are answered', async () => {
		const client = newAccount();
		const ids: number[] = [];
		const time_slots = Array.from({ length: 500 }, () => slotInput());
		for (let count = 0; count < 8; count++) ids.push((await createService(client, { time_slots })).id);
		const ask = (weeks: number) => {
			const query = { service_ids: ids.join(','), from: dateOn(1), to: dateOn(1, weeks - 1) };
			return decided(() => client.get<ServicesAvailability>(PATH, { query }));
		};
		expectRefusal(await ask(13), 400, 'to', '50,000 rows');
		expect((await ask(12)).mustBe(200).availability).toHaveLength(12 * 8 * 500);
	});

	test('S6: When the range is wrong or a parameter is missing, then it is 400 and named', async () => {
		const client = newAccount();
		const { id } = await createService(client);
		expectRefusal(await client.get(PATH), 400, 'service_ids', 'from', 'to');
		const ask = (to: string) => client.get(PATH, { query: { service_ids: String(id), from: FROM, to } });
		expect((await ask(plusDays(FROM, 91))).status).toBe(200);
		expectRefusal(await ask(plusDays(FROM, 92)), 400, 'to');
		expectRefusal(await ask(plusDays(FROM, -1)), 400, 'to');
	});
});
