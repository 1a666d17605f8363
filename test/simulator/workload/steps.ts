import { setTimeout as delay } from 'node:timers/promises';
import type { Operation as Entry } from '../../../services/gateway/operations/operation.ts';
import type { Client, Wanted } from './client.ts';
import { dataOf, type Operation, outcome } from './history.ts';
import {
	dateOf,
	forgetBooking,
	forgetService,
	noteMaximum,
	noteSlots,
	type Slot,
	type Tenant,
	zoneOf,
} from './tenant.ts';

/**
 * One request, or a few that belong together, about what an account has: the client's own, or another one whose ids it
 * knows.
 */
type Step = (client: Client, of: Tenant) => Promise<unknown>;

/** For an operation of the table: by what is written here, or else as the reference shows it. */
export function stepOf(operation: Entry): Step {
	return steps[operation.id] ?? asItsExample(operation);
}

const steps: Record<string, Step> = {
	createService: (client) => createService(client, client.random.chance(0.7)),
	updateService: (client, of) =>
		onService(client, of, 'PATCH', '', { body: { description: client.mark() }, headers: ifMatch(client, 0.1) }),
	deleteService,
	updateTimeSlots,
	getSchedule: (client, of) => onReplaced(client, of, (id, foreign) => readSchedule(client, of, id, foreign)),
	replaceSchedule: (client, of) => onReplaced(client, of, (id, foreign) => replaceSchedule(client, of, id, foreign)),
	createDateOverride,
	deleteDateOverride,
	listTimeSlots: (client) => client.ask({ method: 'GET', path: '/v1/time-slots', query: { no_pagination: 'true' } }),
	getServiceAvailability: (client, of) =>
		onService(client, of, 'GET', '/availability', { query: { from: '2026-03-01', to: '2026-03-28' } }),
	getAvailability(client, of) {
		const ids = [...new Set([pick(client, of.services), pick(client, of.services)])].filter((id) => id !== undefined);
		if (ids.length === 0) return createService(client, false);
		return client.ask({
			method: 'GET',
			path: '/v1/availability',
			query: { service_ids: ids.join(','), from: '2026-03-01', to: '2026-03-14' },
			foreign: of === client.own ? undefined : 'a service',
		});
	},
	createBooking,
	listBookings(client, of) {
		const service_id = pick(client, of.services);
		if (service_id === undefined) return createService(client, false);
		const query = { service_id, page: 1, page_size: 1000 };
		return client.ask({
			method: 'GET',
			path: '/v1/bookings',
			query,
			foreign: of === client.own ? undefined : 'a service',
		});
	},
	updateBooking: (client, of) =>
		maybeSeveral(client, of, (path, foreign) => client.ask(bookingChange(client, of, path, foreign))),
	updateBookingCustomer: (client, of) =>
		maybeSeveral(client, of, (path, foreign) => client.ask(customerChange(client, path, foreign))),
	deleteBooking: (client, of) =>
		onBooking(client, of, async (path, foreign) => {
			const asked = await client.insist({ method: 'DELETE', path, foreign });
			// Now and then it is asked for again, by somebody who does not know.
			if (outcome(asked) === 'done' && client.random.chance(0.8)) forgetBooking(of, path);
			return asked;
		}),
	createWebhook,
	async updateWebhook(client, of) {
		const id = pick(client, of.webhooks);
		// It changes while events are on their way to it.
		const meanwhile = client.random.chance(0.5) ? makeEventFor(client, of, id) : undefined;
		if (meanwhile) await delay(client.random.between(0, 80));
		const body = { events: drawEvents(client) };
		const asked = await onWebhook(client, of, 'PATCH', '', { body, headers: ifMatch(client, 0.1) }, id);
		if (asked && of === client.own && outcome(asked) === 'done') of.subscribed.set(id!, body.events);
		// Who has subscribed to something looks whether it comes.
		if (client.random.chance(0.7)) await makeEvent(client, client.random.pick(body.events));
		await meanwhile;
		return asked;
	},
	async deleteWebhook(client, of) {
		if (of === client.own && of.webhooks.length === 0) return createWebhook(client);
		const id = pick(client, of.webhooks);
		// It goes while events are on their way to it.
		const meanwhile = client.random.chance(0.5) ? makeEventFor(client, of, id) : undefined;
		if (meanwhile) await delay(client.random.between(0, 80));
		const asked = await onWebhook(client, of, 'DELETE', '', {}, id);
		await meanwhile;
		return asked;
	},
	async listDeliveries(client, of) {
		const asked = await onWebhook(client, of, 'GET', '/deliveries', { query: { page_size: 20 } });
		const data = asked && dataOf<{ deliveries: Tenant['deliveries'] }>(asked);
		if (of === client.own && data) of.deliveries.push(...data.deliveries);
	},
	recoverWebhook: (client, of) =>
		onWebhook(client, of, 'POST', '/recover', { body: { since: '2026-03-01T00:00:00.000Z' } }),
};

/** Ids that an operation's path names; anything else that it takes is as in the reference. */
function asItsExample({ method, path, body }: Entry): Step {
	return async (client, of) => {
		const delivery = pick(client, of.deliveries);
		const ids: Record<string, number | undefined> = {
			serviceID: pick(client, of.services),
			bookingID: pick(client, of.bookings),
			webhookID: path.includes('deliveryID') ? delivery?.webhook_id : pick(client, of.webhooks),
			deliveryID: delivery?.id,
		};
		const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
		if (names.some((name) => ids[name] === undefined)) return;
		const foreign = of === client.own || names.length === 0 ? undefined : `ids of account ${of.account}`;
		const asked = path.replace(/\{(\w+)\}/g, (_, name: string) => String(ids[name]));
		await client.ask({ method, path: asked, ...(body && { body: body.example as Wanted['body'] }), foreign });
	};
}

/** @param changes whether its slots change, and it goes after a while; they then have one maximum together */
export async function createService(client: Client, changes: boolean): Promise<void> {
	const { own, random, mix } = client;
	if (own.services.length >= mix.most.services) return;
	const together = 1 + random.integer(mix.room);
	const time_slots = Array.from({ length: changes ? 3 : 2 }, () => ({
		day_of_week: random.integer(7),
		start_time: '2026-01-05 09:00:00',
		end_time: '2026-01-05 10:00:00',
		max_bookings: changes ? together : 1 + random.integer(mix.room),
	}));
	const body = { name: client.mark(), timezone: 'Europe/Berlin', time_slots };
	const headers: Record<string, string> = random.chance(0.5) ? { 'idempotency-key': body.name } : {};
	const wanted = { method: 'POST', path: '/v1/services', headers, body };
	const created = dataOf<{ id: number }>(
		await (headers['idempotency-key'] ? client.insist(wanted) : client.ask(wanted)),
	);
	if (created === undefined) return;
	const listed = await client.insist({ method: 'GET', path: '/v1/time-slots', query: { service_id: created.id } });
	const slots = dataOf<{ time_slots: Slot[] }>(listed)?.time_slots ?? [];
	for (const slot of slots) noteMaximum(own, slot, slot.max_bookings);
	if (changes) own.changing.add(created.id);
	if (changes && random.chance(0.5)) own.replaced.add(created.id);
	own.services.push(created.id);
	own.slots.push(...slots);
}

async function deleteService(client: Client, of: Tenant): Promise<unknown> {
	const id = pick(
		client,
		of.services.filter((each) => of.changing.has(each)),
	);
	if (id === undefined || (of === client.own && client.random.chance(0.5))) return createService(client, true);
	const foreign = of === client.own ? undefined : 'a service';
	if (foreign === undefined) forgetService(of, id);
	return client.insist({ method: 'DELETE', path: `/v1/services/${id}`, foreign });
}

/** All slots of a service get one maximum, so that whoever sees two sees half of an update. */
async function updateTimeSlots(client: Client, of: Tenant): Promise<unknown> {
	const id = pick(
		client,
		of.services.filter((each) => of.changing.has(each) && !of.replaced.has(each)),
	);
	if (id === undefined) return createService(client, true);
	const max_bookings = client.random.integer(Math.max(10, client.mix.room));
	const slots = of.slots.filter(({ service_id }) => service_id === id);
	if (slots.length === 0) return;
	const foreign = of === client.own ? undefined : 'slots';
	if (foreign === undefined) for (const slot of slots) noteMaximum(of, slot, max_bookings);
	const body = { time_slots: slots.map((slot) => ({ id: slot.id, max_bookings })) };
	const changed = client.ask({ method: 'PATCH', path: '/v1/time-slots', body, foreign });
	if (client.random.chance(client.mix.bursts)) await lookMeanwhile(client, id, foreign);
	return changed;
}

function onReplaced(
	client: Client,
	of: Tenant,
	ask: (id: number, foreign?: string) => Promise<unknown>,
): Promise<unknown> {
	const id = pick(
		client,
		of.services.filter((each) => of.replaced.has(each)),
	);
	return id === undefined ? createService(client, true) : ask(id, of === client.own ? undefined : 'a schedule');
}

interface Schedule {
	time_slots: (Slot & Record<string, unknown>)[];
	version: number;
}

async function readSchedule(client: Client, of: Tenant, id: number, foreign?: string): Promise<Schedule | undefined> {
	const shown = dataOf<Schedule>(await client.ask({ method: 'GET', path: `/v1/services/${id}/schedule`, foreign }));
	if (shown && of === client.own) noteSlots(of, id, shown.time_slots);
	return shown;
}

/**
 * All its slots get one maximum and one end, and the service the time zone that goes with it: whoever sees two of them, or
 * another zone, sees a mixture of two schedules. Some slots go, others come.
 */
async function replaceSchedule(client: Client, of: Tenant, id: number, foreign?: string): Promise<void> {
	const { random } = client;
	const schedule = await readSchedule(client, of, id, foreign);
	if (schedule === undefined && foreign === undefined) return;
	const { time_slots: there = [], version = 1 } = schedule ?? {};
	const [minute, max_bookings] = [random.integer(60), random.integer(10)];
	const same = {
		start_time: '2026-01-05 09:00:00',
		end_time: `2026-01-05 10:${String(minute).padStart(2, '0')}:00`,
		max_bookings,
	};
	const stays = there.filter(() => random.chance(0.8));
	const comes = Array.from({ length: Math.max(0, 1 + random.integer(3) - stays.length) }, () => ({
		day_of_week: random.integer(7),
		...same,
	}));
	for (const slot of stays) if (foreign === undefined) noteMaximum(of, slot, max_bookings);
	const body = {
		timezone: zoneOf(minute),
		time_slots: [...comes, ...stays.map((slot) => ({ ...slot, ...same }))],
		...(random.chance(0.7) && { version }),
	};
	const asked = client.ask({ method: 'PUT', path: `/v1/services/${id}/schedule`, body, foreign });
	if (random.chance(client.mix.bursts)) await lookMeanwhile(client, id, foreign);
	const replaced = dataOf<Schedule>(await asked);
	if (replaced && foreign === undefined) noteSlots(of, id, replaced.time_slots);
}

/** Readers that come a moment after a request that takes some 10 ms. */
async function lookMeanwhile(client: Client, service_id: number, foreign: string | undefined): Promise<void> {
	const wanted = ['time-slots', 'availability', 'schedule'].map((of) => `/v1/services/${service_id}/${of}`);
	const reads = Array.from({ length: 4 }, async () => {
		await delay(client.random.between(0, 12));
		const path = client.random.pick(wanted);
		const query: Wanted['query'] = path.endsWith('availability') ? { from: '2026-03-01', to: '2026-03-14' } : {};
		await client.ask({ method: 'GET', path, query, foreign });
	});
	await Promise.all(reads);
}

async function createBooking(client: Client, of: Tenant): Promise<void> {
	const { own, random } = client;
	const slot = pick(client, of.slots);
	if (slot === undefined) return;
	if (of === own && own.bookings.length >= client.mix.most.bookings) {
		await changeInstead(client);
		return;
	}
	const mark = client.mark();
	// Few dates and few customers, so that they meet.
	const body = {
		date: dateOf(slot, random.integer(client.mix.weeks)),
		time_slot_id: slot.id,
		message: mark,
		...(random.chance(0.7) ? { customer_email: drawEmail(client) } : {}),
		...drawHold(client, client.mix.holds),
	};
	const foreign = of === own ? undefined : `a slot of account ${of.account}`;
	const headers: Record<string, string> = random.chance(0.3) ? { 'idempotency-key': `key-${mark}` } : {};
	const wanted = { method: 'POST', path: '/v1/bookings', headers, body, mark, foreign };
	const asked = await (headers['idempotency-key'] ? client.insist(wanted) : client.ask(wanted));
	const created = dataOf<{ id: number }>(asked);
	if (created && foreign === undefined) own.bookings.push(created.id);
}

/** There are as many bookings as there should be: one of them is changed, in a way that this world has. */
async function changeInstead(client: Client): Promise<void> {
	const changes = client.mix.weights.filter(([{ id }]) => id !== 'createBooking' && /Booking/.test(id));
	const [operation] = changes.length === 0 ? [] : client.random.pick(changes);
	if (operation) await stepOf(operation)(client, client.own);
	else await makeEvent(client, 'booking.updated');
}

/** An event that a webhook is subscribed to, as far as its clients know. */
function makeEventFor(client: Client, { subscribed }: Tenant, webhook: number | undefined): Promise<void> {
	return makeEvent(client, client.random.pick(subscribed.get(webhook ?? 0) ?? ['*']));
}

/** @param type of the event, or any: what makes it, as far as a booking is there for it */
async function makeEvent(client: Client, type: string): Promise<void> {
	const { own, random } = client;
	const id = pick(client, own.bookings);
	const status = /confirmed|cancelled/.exec(type)?.[0];
	if (id === undefined || type === 'booking.created' || (type === '*' && random.chance(0.3))) {
		await createBooking(client, own);
		return;
	}
	const path = `/v1/bookings/${id}`;
	if (type === 'booking.deleted') {
		if (outcome(await client.insist({ method: 'DELETE', path })) === 'done') forgetBooking(own, path);
		return;
	}
	const mark = client.mark();
	const body = { message: mark, ...(status && { status, cancel_reason: 'no time' }) };
	await client.ask({ method: 'PATCH', path, body, mark });
}

function bookingChange(client: Client, of: Tenant, path: string, foreign: string | undefined): Wanted {
	const { random, mix } = client;
	const mark = client.mark();
	const choice = random.next();
	const body: Record<string, unknown> = { message: mark };
	if (choice < 0.35) Object.assign(body, { status: 'cancelled', cancel_reason: 'no time' });
	else if (choice < 0.65) body.status = random.pick(['confirmed', 'pending']);
	else if (choice < 0.8 && of.slots.length > 0) {
		const slot = random.pick(of.slots);
		body.date = dateOf(slot, random.integer(mix.weeks));
		if (!of.changing.has(slot.service_id)) body.time_slot_id = slot.id; // of a service that stays
	}
	if (random.chance(0.05)) body.version = 1 + random.integer(4);
	Object.assign(body, drawHold(client, mix.holds / 4, [null, 1, WEEK]));
	return { method: 'PATCH', path, headers: ifMatch(client, 0.12), body, mark, foreign };
}

function customerChange(client: Client, path: string, foreign: string | undefined): Wanted {
	const mark = client.mark();
	const email = client.random.chance(0.9) ? drawEmail(client) : null;
	return { method: 'PATCH', path: `${path}/customer`, body: { email, name: mark }, mark, foreign };
}

/** @returns the request that tells whether it is there */
type OnBooking = (path: string, foreign: string | undefined) => Promise<Operation>;

/** The newest most of all: what happens to one booking at the same time is where mistakes are. */
async function onBooking({ random, mix, own }: Client, of: Tenant, ask: OnBooking): Promise<void> {
	const { bookings } = of;
	if (bookings.length === 0) return;
	const id = random.pick(random.chance(0.8) ? bookings.slice(-mix.hot) : bookings);
	const path = `/v1/bookings/${id}`;
	const { answer } = await ask(path, of === own ? undefined : `a booking of account ${of.account}`);
	if (answer?.status === 404 && of === own && random.chance(0.3)) forgetBooking(of, path);
}

/** One change, or several of the same booking at once, of all kinds. */
function maybeSeveral(client: Client, of: Tenant, ask: OnBooking): Promise<void> {
	const { random, mix } = client;
	if (!random.chance(mix.bursts)) return onBooking(client, of, ask);
	return onBooking(client, of, (path, foreign) => {
		const others = Array.from({ length: 1 + random.integer(5) }, () => {
			const wanted = random.chance(0.6)
				? customerChange(client, path, foreign)
				: bookingChange(client, of, path, foreign);
			return client.ask(wanted);
		});
		return Promise.all([ask(path, foreign), ...others]).then(([first]) => first);
	});
}

export async function createWebhook(client: Client): Promise<void> {
	const { own, random, receivers, mix } = client;
	if (own.webhooks.length >= mix.most.webhooks) return;
	const url = `http://${random.pick(receivers)}/of-account-${own.account}/${client.mark()}`;
	const headers = { 'idempotency-key': url };
	const body = { url, events: drawEvents(client) };
	const created = dataOf<{ id: number }>(await client.insist({ method: 'POST', path: '/v1/webhooks', headers, body }));
	if (created === undefined) return;
	own.webhooks.push(created.id);
	own.subscribed.set(created.id, body.events);
}

async function onService(client: Client, of: Tenant, method: string, rest: string, more: Partial<Wanted> = {}) {
	const id = pick(client, of.services);
	if (id === undefined) return undefined;
	return client.ask({
		method,
		path: `/v1/services/${id}${rest}`,
		foreign: of === client.own ? undefined : 'a service',
		...more,
	});
}

/** Never of a service whose slots change together: whoever sees two maximums there sees half of an update. */
async function createDateOverride(client: Client, of: Tenant): Promise<unknown> {
	const { own, random, mix } = client;
	const service_id = pick(
		client,
		of.services.filter((id) => !of.changing.has(id)),
	);
	const slots = of.slots.filter((slot) => slot.service_id === service_id);
	const slot = pick(client, slots);
	if (slot === undefined) return undefined;
	const [date, max_bookings] = [dateOf(slot, random.integer(mix.weeks)), random.integer(4)];
	const one = random.chance(0.5) ? slot : undefined;
	const foreign = of === own ? undefined : 'a service';
	if (foreign === undefined) for (const each of one ? [one] : slots) noteMaximum(of, each, max_bookings);
	const body = { date_from: date, date_to: date, time_slot_id: one?.id ?? null, max_bookings };
	const path = `/v1/services/${service_id}/date-overrides`;
	const asked = await client.ask({ method: 'POST', path, body, foreign });
	const made = dataOf<{ id: number }>(asked);
	if (foreign === undefined && made) of.overrides.push({ id: made.id, service_id: service_id! });
	return asked;
}

async function deleteDateOverride(client: Client, of: Tenant): Promise<unknown> {
	const override = pick(client, of.overrides);
	if (override === undefined) return undefined;
	const foreign = of === client.own ? undefined : 'an override';
	if (foreign === undefined) of.overrides = of.overrides.filter((each) => each !== override);
	const path = `/v1/services/${override.service_id}/date-overrides/${override.id}`;
	return client.ask({ method: 'DELETE', path, foreign });
}

async function onWebhook(
	client: Client,
	of: Tenant,
	method: string,
	rest: string,
	more: Partial<Wanted> = {},
	id = pick(client, of.webhooks),
) {
	if (id === undefined) return undefined;
	const isOwn = of === client.own;
	if (method === 'DELETE' && isOwn) of.webhooks = of.webhooks.filter((each) => each !== id);
	const wanted = { method, path: `/v1/webhooks/${id}${rest}`, foreign: isOwn ? undefined : 'a webhook', ...more };
	return method === 'DELETE' ? client.insist(wanted) : client.ask(wanted);
}

function pick<T>({ random }: Client, list: readonly T[]): T | undefined {
	return list.length === 0 ? undefined : random.pick(list);
}

/** min: no world is as long, whatever its clocks do */
const WEEK = 10_080;

function drawHold({ random, mix }: Client, chance: number, lengths: readonly (number | null)[] = [1, 1, WEEK]): object {
	return mix.holds > 0 && random.chance(chance) ? { hold_minutes: random.pick(lengths) } : {};
}

function drawEmail({ random, mix }: Client): string {
	return `c${random.integer(mix.customers)}@example.com`;
}

const TYPES = ['created', 'confirmed', 'cancelled', 'updated', 'deleted'].map((type) => `booking.${type}`);

function drawEvents({ random, mix }: Client): string[] {
	if (mix.oneType) return [random.pick(TYPES)];
	if (random.chance(0.3)) return ['*'];
	const chosen = TYPES.filter(() => random.chance(0.5));
	return chosen.length > 0 ? chosen : [random.pick(TYPES)];
}

function ifMatch({ random }: Client, probability: number): Record<string, string> {
	return random.chance(probability) ? { 'if-match': `"${1 + random.integer(4)}"` } : {};
}
