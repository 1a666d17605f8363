import { setTimeout as delay } from 'node:timers/promises';
import type { Availability } from '../../shared/contract/schemas/availability.ts';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import type { Schedule } from '../../shared/contract/schemas/schedule.ts';
import type { Service } from '../../shared/contract/schemas/service.ts';
import type { TimeSlot } from '../../shared/contract/schemas/time-slot.ts';
import { Random } from '../proof/random.ts';
import { dateOn, plusDays } from '../support/calendar.ts';
import type { Answer, Client } from '../support/http-client.ts';
import { createService, newCustomer, slotInput } from '../support/scheduling.ts';
import { until } from '../support/until.ts';

const MONDAY = dateOn(1);
const ZONES = ['Europe/Berlin', 'America/Lima', 'Asia/Tokyo', 'Africa/Cairo', 'Australia/Sydney'] as const;
/** Of schedule number 0; the maximum of each slot tells a schedule's number, up to 9,000 */
const FIRST = 100;
const DAYS = 400;
/** Bookings that are looked at together in the end */
const TOGETHER = 8;
/** In turns by number, so that bookings are made of some of the slots of all */
const SLOTS = [3, 1, 5, 2] as const;

/**
 * A schedule is known by its number `n`, wherever a part of it is seen: the maximum of each of its slots is `FIRST + n`, its
 * time zone and its rules follow from `n`, and so does the number of its slots. One slot is in all of them.
 */
export class Replacements {
	readonly violations: string[] = [];
	readonly counts = { sent: 0, replaced: 0, unknown: 0, refused: 0, reads: 0, bookings: 0, notFound: 0 };
	readonly #client: Client;
	readonly #random: Random;
	readonly #made: Booking[] = [];
	#service = 0;
	#kept = 0;
	/** The highest number that was acknowledged, and the highest that was sent */
	#acknowledged = 0;
	#sent = 0;
	/** As somebody saw them last */
	#slots: TimeSlot[] = [];

	constructor(client: Client, seed: number) {
		this.#client = client;
		this.#random = new Random(seed);
	}

	async prepare(): Promise<void> {
		const time_slots = Array.from({ length: SLOTS[0] }, () => slotInput({ max_bookings: FIRST }));
		const rules = { max_advance_days: DAYS };
		const { id } = await createService(this.#client, { timezone: ZONES[0], time_slots, rules });
		this.#service = id;
		this.#slots = (await this.#schedule()).time_slots;
		this.#kept = this.#slots[0]!.id;
	}

	/** Replaces the schedule until it is enough, while others read and book. */
	async run(isEnough: () => boolean): Promise<void> {
		let isDone = false;
		const all = (work: () => Promise<void>) => async () => {
			while (!isDone) await this.#unlessAway(work);
		};
		const others = [
			all(() => this.#readSchedule()),
			all(() => this.#readService()),
			all(() => this.#readAvailability()),
			all(() => this.#readSlots()),
			all(() => this.#book()),
			all(() => this.#book()),
		].map((each) => each());
		while (!isEnough()) {
			await this.#unlessAway(() => this.#replace());
			await delay(20 * this.#random.next());
		}
		isDone = true;
		await Promise.all(others);
	}

	/** Each booking that was acknowledged is as it was. */
	async settle(): Promise<void> {
		await until(() => this.#readSchedule().then(() => true));
		const settle = async (booking: Booking) => {
			const found = await until(async () => {
				const answer = await this.#client.get<Booking>(`/v1/bookings/${booking.id}`);
				return answer.status < 500 && answer;
			});
			if (found.status !== 200 || JSON.stringify(found.data) !== JSON.stringify(booking)) {
				this.violations.push(`booking ${booking.id} is lost or changed: ${found.text.slice(0, 300)}`);
			}
		};
		for (let at = 0; at < this.#made.length; at += TOGETHER) {
			await Promise.all(this.#made.slice(at, at + TOGETHER).map(settle));
		}
	}

	async #replace(): Promise<void> {
		const now = await this.#schedule();
		const number = ++this.#sent;
		const max_bookings = FIRST + number;
		const [kept, ...others] = now.time_slots;
		if (kept?.id !== this.#kept) this.violations.push(`slot ${this.#kept} is gone`);
		const count = SLOTS[number % SLOTS.length]!;
		const stay = [kept!, ...this.#random.shuffled(others).slice(0, Math.min(count - 1, 2))];
		const time_slots = Array.from({ length: count }, (_, at) => ({ ...(stay[at] ?? slotInput()), max_bookings }));
		const body = {
			timezone: ZONES[number % ZONES.length]!,
			rules: { max_advance_days: DAYS + number },
			time_slots,
			version: now.version,
		};
		this.counts.sent++;
		const answer = await this.#client
			.put<Schedule>(`/v1/services/${this.#service}/schedule`, body)
			.catch(() => undefined);
		if (answer?.status === 200) {
			this.counts.replaced++;
			this.#judge('the answer of PUT', number, this.#numberOf(answer.data), number);
			this.#acknowledged = number;
			this.#slots = answer.data.time_slots;
		} else if (answer === undefined || answer.status >= 500) this.counts.unknown++;
		else if (answer.status === 409) this.counts.refused++;
		else this.violations.push(`PUT ${number} answered ${answer.status}: ${answer.text.slice(0, 200)}`);
	}

	async #readSchedule(): Promise<void> {
		const from = this.#acknowledged;
		const schedule = await this.#schedule();
		this.#slots = schedule.time_slots;
		this.#judge('GET schedule', from, this.#numberOf(schedule));
	}

	async #readService(): Promise<void> {
		const from = this.#acknowledged;
		const { timezone, rules } = await ok(this.#client.get<Service>(`/v1/services/${this.#service}`));
		const number = rules.max_advance_days! - DAYS;
		this.#judge('GET service', from, zoneOf(number) === timezone ? number : `${timezone} with rules of ${number}`);
	}

	async #readAvailability(): Promise<void> {
		const from = this.#acknowledged;
		const path = `/v1/services/${this.#service}/availability`;
		const { availability } = await ok(this.#client.get<Availability>(path, { query: { from: MONDAY, to: MONDAY } }));
		const number = this.#numberOfSlots(availability);
		const offsets = new Set(availability.map(({ starts_at }) => starts_at.slice(-6)));
		const isOfZone = typeof number === 'number' && [...offsets].join() === offsetOf(zoneOf(number));
		this.#judge('availability', from, isOfZone ? number : `${number} at ${[...offsets]}`);
	}

	async #readSlots(): Promise<void> {
		const from = this.#acknowledged;
		const slots = await ok(this.#client.get<TimeSlot[]>(`/v1/services/${this.#service}/time-slots`));
		this.#judge('GET time slots', from, this.#numberOfSlots(slots));
	}

	/** Slot and zone that a booking was promised are of one schedule. */
	async #book(): Promise<void> {
		const slot = this.#random.chance(0.5) ? this.#slots[0]! : this.#random.pick(this.#slots);
		const date = plusDays(MONDAY, 7 * this.#random.index(50));
		const body = { date, time_slot_id: slot.id, ...newCustomer() };
		const from = this.#acknowledged;
		const answer = await this.#client.post<Booking>('/v1/bookings', body);
		if (answer.status === 404 && slot.id !== this.#kept) {
			this.counts.notFound++;
			return;
		}
		if (answer.status === 400 && answer.error.startsWith('time slot is full')) return;
		if (answer.status >= 500) return delay(20);
		const { time_slot, timezone, starts_at } = answer.mustBe(201);
		this.counts.bookings++;
		this.#made.push(answer.data);
		const number = time_slot.max_bookings - FIRST;
		const isWhole = zoneOf(number) === timezone && starts_at.endsWith(offsetOf(timezone, date));
		this.#judge('a booking', from, isWhole ? number : `slot of ${number} in ${timezone}, ${starts_at}`);
	}

	#numberOf({ timezone, rules, time_slots }: Schedule): number | string {
		const number = this.#numberOfSlots(time_slots);
		const isWhole = number === rules.max_advance_days! - DAYS && zoneOf(number) === timezone;
		return isWhole ? number : `slots of ${number} with ${timezone}, ${JSON.stringify(rules)}`;
	}

	/** Those of one schedule all have its maximum. */
	#numberOfSlots(slots: { max_bookings: number }[]): number | string {
		const maxima = [...new Set(slots.map(({ max_bookings }) => max_bookings))];
		const number = maxima[0]! - FIRST;
		const isWhole = maxima.length === 1 && slots.length === SLOTS[number % SLOTS.length];
		return isWhole ? number : `${slots.length} slots with ${maxima}`;
	}

	/**
	 * @param from what was acknowledged before it was asked for
	 * @param to what was sent before it was answered
	 */
	#judge(what: string, from: number, number: number | string, to = this.#sent): void {
		this.counts.reads++;
		if (typeof number === 'number' && number >= from && number <= to) return;
		this.violations.push(`${what} shows ${number}, between ${from} and ${to}`);
	}

	#schedule(): Promise<Schedule> {
		return ok(this.#client.get<Schedule>(`/v1/services/${this.#service}/schedule`));
	}

	async #unlessAway(work: () => Promise<void>): Promise<void> {
		try {
			await work();
		} catch (error) {
			if (error instanceof Away || /ECONN|socket hang up|EPIPE|timed out|no gateway/.test(String(error)))
				await delay(20);
			else this.violations.push(String(error).slice(0, 500));
		}
	}
}

class Away extends Error {}

async function ok<T>(answering: Promise<Answer<T>>): Promise<T> {
	const answer = await answering;
	if (answer.status >= 500) throw new Away(answer.text);
	return answer.mustBe(200);
}

function zoneOf(number: number): string {
	return ZONES[number % ZONES.length]!;
}

function offsetOf(timeZone: string, date = MONDAY): string {
	const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
	const name = parts.formatToParts(new Date(`${date}T12:00:00Z`)).find(({ type }) => type === 'timeZoneName')!.value;
	return name.slice(3) || '+00:00';
}
