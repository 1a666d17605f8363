import { describe, expect, test } from '@jest/globals';
import type { Service } from '../../shared/contract/schemas/service.ts';
import { expectError, TIMESTAMP } from '../support/expectations.ts';
import {
	book,
	createService,
	getService,
	newCustomer,
	serviceBody,
	slotInput,
	slotOn,
	slotsOf,
} from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';

const FIELDS = [
	'id',
	'name',
	'description',
	'timezone',
	'rules',
	'metadata',
	'bookings_count',
	'provider',
	'provider_id',
	'version',
	'created_at',
	'updated_at',
];
const PROVIDER_FIELDS = [
	'id',
	'name',
	'email',
	'phone',
	'avatar',
	'is_verified',
	'role_id',
	'role',
	'package_id',
	'package',
	'payment_customer_id',
	'subscription_status',
	'created_at',
	'updated_at',
];
const PACKAGE_FIELDS = [
	'id',
	'name',
	'bookings_per_month',
	'requests_per_month',
	'rate_limit_per_second',
	'services_limit',
	'overages_enabled',
	'overage_price_amount',
	'price_amount',
	'price_currency',
	'price_interval',
	'payment_overage_price_id',
	'payment_price_id',
	'created_at',
	'updated_at',
];

describe('Creating a service (contract §3)', () => {
	test('When a service is created, then it is 201 with Location and every field of the description', async () => {
		const client = newAccount();
		const answer = await client.post<Service>('/v1/services', serviceBody({ description: 'All levels' }));
		const service = answer.mustBe(201);
		expect(Object.keys(service).sort()).toEqual([...FIELDS].sort());
		expect(service).toMatchObject({ name: 'Piano lesson', description: 'All levels', timezone: 'Europe/Berlin' });
		expect(service).toMatchObject({ bookings_count: 0, version: 1 });
		expect(answer.headers.location).toBe(`/v1/services/${service.id}`);
		expect(Number.isInteger(service.id)).toBe(true);
		expect(service.created_at).toMatch(TIMESTAMP);
		expect(service.updated_at).toBe(service.created_at);
	});

	test('When a service is shown, then provider, role and package have every field of the description', async () => {
		const { provider } = await createService(newAccount('Developer'));
		expect(Object.keys(provider).sort()).toEqual([...PROVIDER_FIELDS].sort());
		expect(Object.keys(provider.role).sort()).toEqual(['description', 'id', 'level', 'name']);
		expect(Object.keys(provider.package)).toEqual(PACKAGE_FIELDS); // in this order in both forms: what moved answers the same bytes
	});

	test('When slots are given, then they are created with it, in the order given', async () => {
		const client = newAccount();
		const time_slots = [0, 1, 2, 3, 4, 5, 6].map((day) => slotInput({ day_of_week: day, max_bookings: day + 1 }));
		const { id } = await createService(client, { time_slots });
		const slots = await slotsOf(client, id);
		expect(slots.map(({ day_of_week, max_bookings }) => [day_of_week, max_bookings])).toEqual(
			time_slots.map(({ day_of_week, max_bookings }) => [day_of_week, max_bookings]),
		);
	});

	test('When no slots or an empty list are given, then the service has none', async () => {
		const client = newAccount();
		expect(await slotsOf(client, (await createService(client)).id)).toEqual([]);
		expect(await slotsOf(client, (await createService(client, { time_slots: [] })).id)).toEqual([]);
	});
});

describe('Reading services', () => {
	test('When a service is read, then it is what its creation answered', async () => {
		const client = newAccount();
		const service = await createService(client);
		expect(await getService(client, service.id)).toEqual(service);
		const list = (await client.get<{ services: Service[] }>('/v1/services')).mustBe(200);
		expect(list.services).toEqual([service]);
	});

	test('When services are listed, then only those of the key come', async () => {
		const [one, two] = [newAccount(), newAccount()];
		const mine = await createService(one);
		await createService(two);
		const list = (await one.get<{ services: Service[] }>('/v1/services')).mustBe(200);
		expect(list.services.map(({ id }) => id)).toEqual([mine.id]);
	});

	test('When bookings come and go, then bookings_count counts those that are not cancelled', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 5 });
		const count = async () => (await getService(client, place.service.id)).bookings_count;
		const one = await book(client, place, newCustomer());
		const two = await book(client, place, newCustomer());
		expect(await count()).toBe(2);
		(await client.patch(`/v1/bookings/${one.id}`, { status: 'confirmed' })).mustBe(200);
		expect(await count()).toBe(2);
		(await client.patch(`/v1/bookings/${one.id}`, { status: 'cancelled', cancel_reason: 'x' })).mustBe(200);
		expect(await count()).toBe(1);
		(await client.delete(`/v1/bookings/${two.id}`)).mustBe(200);
		expect(await count()).toBe(0);
		(await client.patch(`/v1/bookings/${one.id}`, { status: 'pending' })).mustBe(200);
		expect(await count()).toBe(1);
		const list = (await client.get<{ services: Service[] }>('/v1/services')).mustBe(200);
		expect(list.services[0]!.bookings_count).toBe(1);
	});
});

describe('Updating a service', () => {
	test('When name, description and time zone are changed, then they are, and the version grows by one', async () => {
		const client = newAccount();
		const service = await createService(client);
		const change = { name: 'Violin', description: 'New', timezone: 'America/New_York' };
		const changed = (await client.patch<Service>(`/v1/services/${service.id}`, change)).mustBe(200);
		expect(changed).toEqual({ ...service, ...change, version: 2, updated_at: changed.updated_at });
		expect(changed.updated_at >= service.updated_at).toBe(true);
		expect(await getService(client, service.id)).toEqual(changed);
	});

	test('When only one field is given, then the others stay', async () => {
		const client = newAccount();
		const service = await createService(client, { description: 'Stays' });
		const changed = (await client.patch<Service>(`/v1/services/${service.id}`, { name: 'B' })).mustBe(200);
		expect(changed).toMatchObject({ name: 'B', description: 'Stays', timezone: service.timezone });
	});

	test('When a PATCH changes nothing, then version and updated_at stay', async () => {
		const client = newAccount();
		const service = await createService(client);
		expect((await client.patch(`/v1/services/${service.id}`, {})).mustBe(200)).toEqual(service);
		expect((await client.patch(`/v1/services/${service.id}`, { name: service.name })).mustBe(200)).toEqual(service);
	});

	test('When a service is booked, then its version and updated_at stay', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		await book(client, place);
		expect(await getService(client, place.service.id)).toEqual({ ...place.service, bookings_count: 1 });
	});
});

describe('Deleting a service', () => {
	test('When a service is deleted, then the answer is 200 `ok` and it is gone', async () => {
		const client = newAccount();
		const { id } = await createService(client);
		const answer = await client.delete(`/v1/services/${id}`);
		expect([answer.status, answer.text]).toEqual([200, '{"data":"ok"}']);
		expectError(await client.get(`/v1/services/${id}`), 404, 'service not found');
		expectError(await client.patch(`/v1/services/${id}`, { name: 'x' }), 404, 'service not found');
		const list = (await client.get<{ services: Service[] }>('/v1/services')).mustBe(200);
		expect(list.services).toEqual([]);
	});
});
