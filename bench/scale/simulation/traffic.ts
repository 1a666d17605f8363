import { type Costs, type Kind, sumOf } from '../costs.ts';
import { BASE, type Workload } from '../model/workload.ts';
import { type Random, zipf } from './random.ts';
import { type Known, type Place, SERVICES, SLOTS } from './shard-key.ts';

/** One statement on the bookings: what it names, and for how many seconds of one core it works. */
export interface Statement {
	known: Known;
	service: number;
}

/** A request, as the statements on bookings that it makes one after the other. */
export interface Request {
	account: number;
	statements: Statement[];
}

/** Dates on which bookings are made */
const DATES = 50;
/** Ranks that count as large accounts: they have 20 services; others have one */
const LARGE = 1_000;

/** Makes requests as the workload has them: accounts by Zipf's law, an on-sale in the hottest one. */
export class Traffic {
	readonly #random: Random;
	readonly #rank: (random: Random) => number;
	readonly #kinds: { kind: Kind; upTo: number; work: number }[] = [];
	/** Requests a second, and seconds of one core that they need where each statement asks one shard */
	readonly rate: number;
	readonly load: number;

	readonly #hottest: number;

	constructor(costs: Costs, { rates, accounts, hottest }: Workload, random: Random) {
		this.#random = random;
		this.#hottest = hottest.account;
		this.#rank = zipf(accounts);
		let [rate, load] = [0, 0];
		for (const [kind, each] of Object.entries(rates) as [Kind, number][]) {
			if (kind === 'delivery') continue; // asks nothing of bookings
			rate += each;
			const work = workOnBookings(costs, kind);
			load += each * work;
			this.#kinds.push({ kind, upTo: rate, work });
		}
		this.rate = rate;
		this.load = load;
	}

	next(): Request {
		const at = this.#random.next() * this.rate;
		const { kind, work } = this.#kinds.find(({ upTo }) => at < upTo)!;
		const booking = this.#anyBooking(kind);
		const known = statementsOf(kind, booking);
		const statements = known.map((one) => ({ known: one, service: this.#random.exponential(work / known.length) }));
		return { account: booking.account, statements };
	}

	/** Of all requests */
	shareOf(account: number): number {
		return this.#hottest / account;
	}

	#anyBooking(kind: Kind): Place {
		const account = this.#rank(this.#random);
		const onSale = account === 1 && kind === 'create' && this.#random.next() < BASE.slotOfAccount;
		const service = onSale ? 0 : this.#random.integer(servicesOf(account));
		const slot = onSale ? 0 : this.#random.integer(SLOTS);
		const date = onSale ? 0 : this.#random.integer(DATES);
		return { ...placeIn(account, service, slot), date, booking: this.#random.integer(2 ** 31) };
	}
}

/** A booking in each service and slot of an account, for those parts of a shard key that a statement does not name. */
export function* partsOf(account: number): Generator<Place> {
	for (let service = 0; service < servicesOf(account); service++) {
		for (let slot = 0; slot < SLOTS; slot++) yield { ...placeIn(account, service, slot), date: 0, booking: 0 };
	}
}

function placeIn(account: number, service: number, slot: number): Pick<Place, 'account' | 'service' | 'slot'> {
	const [services, first] = [account * SERVICES + service, (account * SERVICES + service) * SLOTS];
	return { account, service: services, slot: first + slot };
}

function servicesOf(account: number): number {
	return account <= LARGE ? SERVICES : 1;
}

/** The filters of today's statements, with `service_id` where the code knows it: see docs/scale.md. */
function statementsOf(kind: Kind, { account, service, slot, date, booking }: Place): Known[] {
	const whole = { account, service, slot, date, booking };
	if (kind === 'create') return [{ account, service, slot, date }, whole, whole]; // occupants, insert, outbox cleared
	if (kind === 'list')
		return [
			{ account, service },
			{ account, service },
		]; // page, total
	if (kind === 'availability') return [{ account, service }];
	if (kind === 'get') return [{ account, booking }];
	return [{ account, booking }, whole, whole]; // read, change, outbox cleared
}

/** Seconds of the database's processor for what a request asks of bookings: their share of its operations. */
export function workOnBookings({ kinds }: Costs, kind: Kind): number {
	const { per } = kinds[kind];
	const share = sumOf(per, 'database.bookings.', '.operations') / sumOf(per, 'database.', '.operations');
	return (share * per['cpu.database']!) / 1_000;
}
