import type { Booking } from '../../../shared/contract/schemas/booking.ts';
import type { Service } from '../../../shared/contract/schemas/service.ts';
import type { TimeSlot } from '../../../shared/contract/schemas/time-slot.ts';
import { dateOn } from '../../../test/support/calendar.ts';
import { Client } from '../../../test/support/http-client.ts';
import { slotInput } from '../../../test/support/scheduling.ts';
import type { Bench } from './bench.ts';

const SLOTS = 10;
const ROOM = 10_000;

/** An account with a service of ten slots on Mondays. */
export interface Tenant {
	client: Client;
	service: Service;
	slots: TimeSlot[];
}

/** A batch of requests of one kind; `clients` at once, each sends its next one when it has an answer. */
export interface Batch {
	requests: number;
	clients: number;
	send(n: number): Promise<unknown>;
}

export async function newTenant(bench: Bench, key: string): Promise<Tenant> {
	const client = new Client(bench.product.urls, key);
	const time_slots = Array.from({ length: SLOTS }, () => slotInput({ max_bookings: ROOM }));
	const body = { name: 'Scale', timezone: 'Europe/Berlin', time_slots };
	const service = (await client.post<Service>('/v1/services', body)).mustBe(201);
	const slots = (await client.get<TimeSlot[]>(`/v1/services/${service.id}/time-slots`)).mustBe(200);
	return { client, service, slots };
}

/** ms that the batch took */
export async function run({ requests, clients, send }: Batch): Promise<number> {
	const began = performance.now();
	let next = 0;
	const client = async () => {
		for (let n = next++; n < requests; n = next++) await send(n);
	};
	await Promise.all(Array.from({ length: clients }, client));
	return performance.now() - began;
}

let customers = 0;

/** Each booking on a slot and date of its own, of the tenants in turn; `made` gets them. */
export function spreadCreates(tenants: Tenant[], requests: number, clients: number, made: Made[] = []): Batch {
	const first = customers;
	return {
		requests,
		clients,
		async send(n) {
			const tenant = tenants[n % tenants.length]!;
			const at = first + n;
			made.push({ tenant, booking: await create(tenant, tenant.slots[at % SLOTS]!, Math.floor(at / SLOTS)) });
		},
	};
}

export interface Made {
	tenant: Tenant;
	booking: Booking;
}

/** All on one slot and date. */
export function hotCreates(tenant: Tenant, requests: number, clients: number, week = 0): Batch {
	return { requests, clients, send: () => create(tenant, tenant.slots[0]!, week) };
}

async function create({ client }: Tenant, slot: TimeSlot, week: number): Promise<Booking> {
	const customer_email = `customer${++customers}@example.com`;
	const body = { time_slot_id: slot.id, date: dateOn(1, week), customer_name: 'Ada Lovelace', customer_email };
	return (await client.post<Booking>('/v1/bookings', body)).mustBe(201);
}

export function gets(made: Made[], requests: number, clients: number): Batch {
	return over(made, requests, clients, ({ tenant, booking }) => tenant.client.get(`/v1/bookings/${booking.id}`));
}

/** First pages of 20 of a service. */
export function lists(tenants: Tenant[], requests: number, clients: number): Batch {
	const page = ({ service }: Tenant) => `/v1/bookings?service_id=${service.id}&page=1&page_size=20`;
	return over(tenants, requests, clients, (tenant) => tenant.client.get(page(tenant)));
}

/** Four weeks of a service of ten slots: 40 entries. */
export function availabilities(tenants: Tenant[], requests: number, clients: number): Batch {
	const range = `from=${dateOn(1)}&to=${dateOn(0, 4)}`;
	return over(tenants, requests, clients, ({ client, service }) =>
		client.get(`/v1/services/${service.id}/availability?${range}`),
	);
}

export function patches(made: Made[], clients: number, body: Record<string, string>): Batch {
	return over(made, made.length, clients, ({ tenant, booking }) =>
		tenant.client.patch(`/v1/bookings/${booking.id}`, body),
	);
}

export function deletes(made: Made[], clients: number): Batch {
	return over(made, made.length, clients, ({ tenant, booking }) => tenant.client.delete(`/v1/bookings/${booking.id}`));
}

function over<T>(things: T[], requests: number, clients: number, ask: (thing: T) => ReturnType<Client['get']>): Batch {
	return { requests, clients, send: async (n) => (await ask(things[n % things.length]!)).mustBe(200) };
}
