import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { AvailabilityEntry } from '../../shared/api/availability.ts';
import type { Booking, BookingList } from '../../shared/api/booking.ts';
import { type Command, commands } from '../proof/commands.ts';
import { type Content, type Expected, Oracle } from '../proof/oracle.ts';
import { anySeed } from '../proof/random.ts';
import { dateOn } from '../support/calendar.ts';
import { eventsUpTo } from '../support/feed.ts';
import { type Answer, Client } from '../support/http-client.ts';
import { type Product, startProduct } from '../support/product.ts';
import { createService, slotInput, slotsOf } from '../support/scheduling.ts';

/** Sequences; more with COMMAND_RUNS */
const RUNS = Number(process.env.COMMAND_RUNS ?? 200);
const seed = Number(process.env.PROOF_SEED ?? anySeed());
const MAXIMA = [1, 2];

let product: Product;

beforeAll(async () => {
	product = await startProduct({ form: 'embedded', keys: { Unlimited: RUNS * 2 + 50 } });
}, 60_000);
afterAll(() => product.stop());

/** The API with the names of the oracle: its bookings and slots by number. */
class Driver {
	readonly #client: Client;
	readonly #slots: number[];
	readonly #service: number;
	readonly ids: number[] = [];

	constructor(client: Client, service: number, slots: number[]) {
		this.#client = client;
		this.#service = service;
		this.#slots = slots;
	}

	send(command: Command): Promise<Answer<Booking>> {
		const client = this.#client;
		const path = 'booking' in command ? `/v1/bookings/${this.ids[command.booking] ?? 999_999_999}` : '';
		switch (command.kind) {
			case 'create': {
				const body = {
					time_slot_id: this.#slots[command.slot],
					date: dateOn(1, command.week),
					customer_email: command.email,
				};
				const headers: Record<string, string> = command.key === null ? {} : { 'idempotency-key': `k${command.key}` };
				return client.post('/v1/bookings', body, { headers });
			}
			case 'status': {
				const reason = command.status === 'cancelled' ? { cancel_reason: 'ill' } : {};
				const date = command.week === null ? {} : { date: dateOn(1, command.week) };
				return client.patch(path, { status: command.status, ...reason, ...date });
			}
			case 'note':
				return client.patch(path, { message: command.message === null ? null : 'note' });
			case 'customer':
				return client.patch(`${path}/customer`, { email: command.email });
			case 'stale':
				return client.patch(path, { message: 'never' }, { headers: { 'if-match': '"999"' } });
			case 'get':
				return client.get(path);
			case 'delete':
				return client.delete(path) as Promise<Answer<never>>;
			case 'maximum':
				return client.patch('/v1/time-slots', {
					time_slots: [{ id: this.#slots[command.slot], max_bookings: command.max }],
				});
			case 'delete service':
				return client.delete(`/v1/services/${this.#service}`) as Promise<Answer<never>>;
		}
	}

	/** A booking as the oracle would say it. */
	content({ time_slot_id, date, status, message, customer, version }: Booking): Content {
		const week = date === dateOn(1) ? 0 : 1;
		return { slot: this.#slots.indexOf(time_slot_id), week, status, message, email: customer.email, version };
	}

	async listed(): Promise<Content[]> {
		const query = { service_id: this.#service, page: 1, page_size: 1000 };
		const list = (await this.#client.get<BookingList>('/v1/bookings', { query })).mustBe(200);
		return list.bookings.map((booking) => this.content(booking));
	}

	async availability(): Promise<AvailabilityEntry[]> {
		const query = { from: dateOn(1), to: dateOn(1, 1) };
		const path = `/v1/services/${this.#service}/availability`;
		const { availability } = (await this.#client.get<{ availability: AvailabilityEntry[] }>(path, { query })).mustBe(
			200,
		);
		return availability;
	}
}

function expectAnswer(driver: Driver, command: Command, answer: Answer<Booking>, expected: Expected): void {
	const { status, error } = expected;
	const seen = { command, status: answer.status, error: status < 400 ? undefined : answer.error };
	expect(seen).toEqual({ command, status, error });
	if (expected.booking === undefined) return;
	if (command.kind === 'customer') {
		const { version, email } = expected.booking;
		const customer = answer.data as unknown as Booking['customer'];
		expect([answer.headers.etag, customer.email]).toEqual([`"${version}"`, email]);
	} else expect(driver.content(answer.data)).toEqual(expected.booking);
}

test(
	`T4: Whatever ${RUNS} random clients do, each is answered as the contract says (seed ${seed})`,
	async () => {
		let sent = 0;
		const property = fc.asyncProperty(commands, async (sequence) => {
			const client = new Client(() => product.urls(), product.keys.Unlimited.pop());
			const service = await createService(client, {
				time_slots: MAXIMA.map((max_bookings) => slotInput({ max_bookings })),
			});
			const slots = (await slotsOf(client, service.id)).map(({ id }) => id);
			const [oracle, driver] = [new Oracle(MAXIMA), new Driver(client, service.id, slots)];
			for (const command of sequence.map(plainNote)) {
				const expected = oracle.apply(command);
				const answer = await driver.send(command);
				sent++;
				expectAnswer(driver, command, answer, expected);
				if (expected.shows === driver.ids.length) driver.ids.push(answer.data.id);
				if (expected.shows !== undefined) expect(answer.data.id).toBe(driver.ids[expected.shows]);
			}
			await expectState(driver, oracle);
			const events = await eventsUpTo(client, oracle.events.length);
			const told = events.map(({ type, data }) => ({
				number: driver.ids.indexOf(data.id),
				type,
				version: data.version,
			}));
			const order = (a: { number: number; version: number }, b: typeof a) =>
				a.number - b.number || a.version - b.version;
			expect(told.sort(order)).toEqual([...oracle.events].sort(order));
		});
		await fc.assert(property, { numRuns: RUNS, seed, verbose: 1 });
		expect(sent).toBeGreaterThan(5 * RUNS);
	},
	60_000 + RUNS * 1_500,
);

/** The oracle's texts are the ones that are sent. */
function plainNote(command: Command): Command {
	return command.kind === 'note' && command.message !== null ? { ...command, message: 'note' } : command;
}

async function expectState(driver: Driver, oracle: Oracle): Promise<void> {
	if (oracle.isGone) return;
	expect(await driver.listed()).toEqual(oracle.bookings.filter((booking) => booking !== undefined));
	const seen = (await driver.availability()).map(({ booked, remaining, reason }) => [booked, remaining, reason]);
	const expected = [0, 1].flatMap((week) =>
		MAXIMA.map((_, slot) => {
			const booked = oracle.active(slot, week);
			const remaining = Math.max(0, oracle.maxima[slot]! - booked);
			return [booked, remaining, remaining > 0 ? null : 'full'];
		}),
	);
	expect(seen).toEqual(expected);
}
