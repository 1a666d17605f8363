import { setTimeout as delay } from 'node:timers/promises';
import { HttpConnection } from '../clients/http-connection.ts';
import { GATEWAY_PORT } from '../cluster.ts';
import type { Random } from '../world/random.ts';
import type { SimProcess } from '../world/sim-process.ts';
import type { World } from '../world/world.ts';
import { dataOf, type History, type Operation } from './history.ts';
import { dateOf, type Slot, type Tenant } from './tenant.ts';

/** ms; longer than any request may take */
const PATIENCE = 13_000;

type Wanted = Pick<Operation, 'method' | 'path' | 'query' | 'headers' | 'body' | 'mark' | 'foreign'>;

export interface ClientOptions {
	world: World;
	process: SimProcess;
	history: History;
	tenants: readonly Tenant[];
	own: Tenant;
	gateways: readonly string[];
	mix: Mix;
}

/** What clients of a world do most; drawn for each world. */
export interface Mix {
	/** ms between two requests of a client, in the mean */
	pause: number;
	/** Parts of all requests */
	creates: number;
	changes: number;
	/** Of how many bookings most changes are */
	hot: number;
}

export function drawMix(random: Random): Mix {
	const creates = random.between(0.15, 0.6);
	const pause = random.between(20, 100);
	return { pause, creates, changes: random.between(0.3, 1 - creates - 0.05), hot: 1 + random.integer(8) };
}

/** One client of an account: it does at random what the API offers, and tries what belongs to others. */
export class Client {
	readonly #options: ClientOptions;
	readonly #random: Random;
	readonly #connections: HttpConnection[];
	#marks = 0;

	constructor(options: ClientOptions) {
		this.#options = options;
		this.#random = options.process.random;
		const { world, process, gateways } = options;
		this.#connections = gateways.map((host) => new HttpConnection(world.network, process, host, GATEWAY_PORT));
	}

	async act(until: number): Promise<void> {
		const { process, mix } = this.#options;
		while (process.time < until) {
			await this.#step();
			// Now and then many do something at the same moment.
			const { time } = process;
			await delay(
				this.#random.chance(0.5) ? Math.ceil((time + 1) / 50) * 50 - time : this.#random.exponential(mix.pause),
			);
		}
	}

	/** @returns the operation, with what was answered */
	async ask(wanted: Wanted): Promise<Operation> {
		const { process, history, own } = this.#options;
		const operation = history.begin({ client: process.name, account: own.account, ...wanted, began: process.time });
		const search = wanted.query ? `?${new URLSearchParams(wanted.query as Record<string, string>)}` : '';
		const headers = { authorization: `Bearer ${own.key}`, ...wanted.headers };
		const connection = this.#random.pick(this.#connections);
		const { method, path, body } = wanted;
		operation.answer = await connection.request(method, path + search, headers, body, PATIENCE);
		operation.ended = process.time;
		return operation;
	}

	async createService(slots: number): Promise<void> {
		const { own } = this.#options;
		const time_slots = Array.from({ length: slots }, () => ({
			day_of_week: this.#random.integer(7),
			start_time: '2026-01-05 09:00:00',
			end_time: '2026-01-05 10:00:00',
			max_bookings: 1 + this.#random.integer(3),
		}));
		const body = { name: this.#mark(), timezone: 'Europe/Berlin', time_slots };
		const created = dataOf<{ id: number }>(await this.ask({ method: 'POST', path: '/v1/services', body }));
		if (created === undefined) return;
		const listed = await this.ask({ method: 'GET', path: '/v1/time-slots', query: { service_id: created.id } });
		own.services.push(created.id);
		own.slots.push(...(dataOf<{ time_slots: Slot[] }>(listed)?.time_slots ?? []));
	}

	async #step(): Promise<void> {
		const { own, tenants, mix } = this.#options;
		const isForeign = this.#random.chance(0.15);
		const of = isForeign ? this.#random.pick(tenants.filter((tenant) => tenant !== own)) : own;
		if (of.slots.length === 0) return;
		const choice = this.#random.next();
		if (choice < mix.creates || of.bookings.length === 0) return this.#create(of);
		const foreign = isForeign ? `a booking of account ${of.account}` : undefined;
		// The newest most of all: what happens to one booking at the same time is where mistakes are.
		const recent = of.bookings.slice(-mix.hot);
		const path = `/v1/bookings/${this.#random.pick(this.#random.chance(0.8) ? recent : of.bookings)}`;
		const rest = (choice - mix.creates - mix.changes) / (1 - mix.creates - mix.changes);
		if (rest < 0) await this.#change(path, of, foreign);
		else if (rest < 0.2) await this.ask({ method: 'DELETE', path, foreign });
		else if (rest < 0.6) await this.ask({ method: 'GET', path, foreign });
		else await this.#read(of, isForeign);
	}

	async #create(of: Tenant): Promise<void> {
		const { own } = this.#options;
		const slot = this.#random.pick(of.slots);
		const mark = this.#mark();
		// Few dates and few customers, so that they meet.
		const body = {
			date: dateOf(slot, this.#random.integer(3)),
			time_slot_id: slot.id,
			message: mark,
			...(this.#random.chance(0.7) ? { customer_email: `c${this.#random.integer(12)}@example.com` } : {}),
		};
		const foreign = of === own ? undefined : `a slot of account ${of.account}`;
		const headers: Record<string, string> = this.#random.chance(0.3) ? { 'idempotency-key': `key-${mark}` } : {};
		const wanted = { method: 'POST', path: '/v1/bookings', headers, body, mark, foreign };
		let asked = await this.ask(wanted);
		for (let again = 0; again < 2 && headers['idempotency-key'] && isWorthARetry(asked); again++) {
			await delay(this.#random.exponential(500));
			asked = await this.ask(wanted);
		}
		const created = dataOf<{ id: number }>(asked);
		if (created && foreign === undefined) own.bookings.push(created.id);
	}

	async #change(path: string, of: Tenant, foreign: string | undefined): Promise<void> {
		const mark = this.#mark();
		const choice = this.#random.next();
		if (choice < 0.15) {
			const email = `c${this.#random.integer(12)}@example.com`;
			return void (await this.ask({
				method: 'PATCH',
				path: `${path}/customer`,
				body: { email, name: mark },
				mark,
				foreign,
			}));
		}
		const headers: Record<string, string> = this.#random.chance(0.15)
			? { 'if-match': `"${1 + this.#random.integer(4)}"` }
			: {};
		const change: Record<string, unknown> = {};
		if (choice < 0.45) Object.assign(change, { status: 'cancelled', cancel_reason: 'no time' });
		else if (choice < 0.75) change.status = this.#random.pick(['confirmed', 'pending']);
		else if (choice < 0.9) change.date = dateOf(this.#random.pick(of.slots), this.#random.integer(3));
		await this.ask({ method: 'PATCH', path, headers, body: { ...change, message: mark }, mark, foreign });
	}

	async #read(of: Tenant, isForeign: boolean): Promise<void> {
		const service_id = this.#random.pick(of.services);
		const foreign = isForeign ? `a service of account ${of.account}` : undefined;
		if (this.#random.chance(0.5)) {
			const query = { service_id, page: 1, page_size: 1000 };
			return void (await this.ask({ method: 'GET', path: '/v1/bookings', query, foreign }));
		}
		const query = { from: '2026-03-01', to: '2026-03-28' };
		await this.ask({ method: 'GET', path: `/v1/services/${service_id}/availability`, query, foreign });
	}

	#mark(): string {
		return `${this.#options.process.name}.${++this.#marks}`;
	}
}

/** Nobody knows, or the first one is still under way. */
function isWorthARetry({ answer }: Operation): boolean {
	return answer === undefined || answer.status >= 500 || (answer.status === 409 && 'retry-after' in answer.headers);
}
