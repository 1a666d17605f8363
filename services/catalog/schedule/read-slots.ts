import { maximumOf, validityRefusal } from '../../../shared/calendar/bookable.ts';
import { hoursOf, occurrencesOn } from '../../../shared/calendar/occurrence.ts';
import { type Override, OverridesOn } from '../../../shared/calendar/overrides.ts';
import { datesBetween, dayOfWeek } from '../../../shared/calendar/plain-date.ts';
import type { Params, Result, SlotPlan } from '../../../shared/contract/actions.ts';
import type { Occurrence } from '../../../shared/contract/schemas/availability.ts';
import { pagination } from '../../../shared/contract/schemas/pagination.ts';
import { NO_RULES } from '../../../shared/contract/schemas/rules.ts';
import { Slices } from '../../../shared/work/long-work.ts';
import type { Catalog } from '../catalog.ts';
import type { CatalogStore } from '../catalog-store.ts';
import { finishService } from '../finish-service.ts';
import { pageWindow } from '../page-window.ts';
import { findService } from '../read-services.ts';
import type { ServiceDocument } from '../service.model.ts';
import { type SlotDocument, type SlotUpdateDocument, scheduleOf, toTimeSlot, withUpdate } from './slot.model.ts';
import type { Part } from './slot-store.ts';
import { findSlots } from './slots-now.ts';

/** A slot is at most 300 bytes as JSON: so many stay below 512 KiB. */
const MOST = 1000;

/** A slot by its id alone, whichever account it belongs to: for operators. */
export async function findAnySlot(
	store: CatalogStore,
	{ time_slot_id, date }: Params<'catalog.findSlot'>,
): Promise<Result<'catalog.findSlot'>> {
	const owner = await store.slots.ownerOf(time_slot_id);
	const [slot] = owner ? await findSlots(store, [{ ...owner, time_slot_id, date, retired: true }]) : [];
	return owner && slot ? { ...owner, ...slot } : null;
}

/**
 * The slots of a service, or of the account, by id. `all` answers the first 1,000, or as many after the id `after`.
 * @throws service_not_found
 */
export async function listSlots(
	{ store }: Catalog,
	params: Params<'catalog.listSlots'>,
): Promise<Result<'catalog.listSlots'>> {
	const { account_id, service_id, page, page_size, all, after } = params;
	const part = { account_id, service_id };
	const window = all ? pageWindow(1, MOST, after) : pageWindow(page, page_size, after);
	let total = 0;
	const { slots, cut } = await readWhole(store, part, async () => {
		const [counted, rows] = await Promise.all([store.slots.count(part), window ? store.slots.list(part, window) : []]);
		total = counted;
		return rows;
	});
	return {
		time_slots: slots.map(toTimeSlot),
		cut,
		pagination: all ? pagination(1, Math.max(1, total), total) : pagination(page, page_size, total),
	};
}

/** An occurrence is 200 bytes as JSON: so many stay below 512 KiB. Those of one date, at most 500, are never parted. */
const MOST_OCCURRENCES = 2_000;
/** Rows between two looks at the clock; near a change to or from summer time, a row takes 0.1 ms */
const ROWS_A_LOOK = 20;

/**
 * Every occurrence of a service from one date to another, both included, by date, then slot. Only whole dates: as many as
 * the limit takes, and at least one.
 * @throws service_not_found
 */
export async function listOccurrences(
	{ store }: Catalog,
	{ account_id, service_id, from, to, limit, plan: given }: Params<'catalog.occurrences'>,
): Promise<Result<'catalog.occurrences'>> {
	const plan = given ?? (await readPlan(store, { account_id, service_id, from, to }));
	const ofService = { timezone: plan.timezone, rules: plan.rules };
	const slots = plan.slots.map((slot) => ({ ...slot, hours: hoursOf(slot) }));
	const byDay = Map.groupBy(slots, (slot) => slot.day_of_week);
	const occurrences: Occurrence[] = [];
	const slices = new Slices();
	try {
		const firstDay = dayOfWeek(from);
		for (const [days, date] of datesBetween(from, to).entries()) {
			const ofDay = byDay.get((firstDay + days) % 7);
			if (ofDay === undefined) continue;
			const due = ofDay.filter((slot) => validityRefusal(slot, date) === null);
			if (occurrences.length > 0 && occurrences.length + due.length > Math.min(limit, MOST_OCCURRENCES)) {
				return { occurrences, next: { from: date, plan }, ...ofService };
			}
			const momentsOf = occurrencesOn(date, plan.timezone);
			const overrides = new OverridesOn(plan.overrides, date);
			for (const [index, slot] of due.entries()) {
				const override = overrides.of(slot.id);
				const max_bookings = maximumOf(slot, override);
				const override_id = override?.id ?? null;
				const { starts_at, ends_at } = momentsOf(slot.hours); // named, for a spread costs as much as all the rest
				occurrences.push({ date, time_slot_id: slot.id, starts_at, ends_at, max_bookings, override_id });
				slices.count(1);
				if (index % ROWS_A_LOOK === 0 && slices.isUsedUp) await slices.next();
			}
		}
		return { occurrences, next: null, ...ofService };
	} finally {
		slices.end();
	}
}

/** @throws service_not_found */
export async function readPlan(store: CatalogStore, { account_id, service_id, from, to }: Asked): Promise<SlotPlan> {
	const part = { account_id, service_id };
	for (;;) {
		const { slots, service } = await readWhole(store, part, () => store.slots.list(part));
		const { version, overrides } = await store.overrides.ofService(service!);
		if (version === (service!.overrides_version ?? 0))
			return planOf(slots, service!, overrides.filter(meets(from, to)));
	}
}

type Asked = Pick<Params<'catalog.occurrences'>, 'account_id' | 'service_id' | 'from' | 'to'>;

function meets(from: string, to: string): (override: Override) => boolean {
	return ({ date_from, date_to }) => date_from <= to && date_to >= from;
}

function planOf(
	slots: SlotDocument[],
	{ timezone, rules = NO_RULES }: ServiceDocument,
	overrides: Override[],
): SlotPlan {
	return {
		timezone,
		rules,
		overrides: overrides.map(({ id, date_from, date_to, time_slot_id, max_bookings }) => {
			return { id, date_from, date_to, time_slot_id, max_bookings };
		}),
		slots: slots.map((slot) => ({ id: slot._id, ...scheduleOf(slot) })),
	};
}

/** What was committed at one moment. */
interface Moment {
	update: SlotUpdateDocument | null;
	service: ServiceDocument | undefined;
	/** Another one where anything that changes several slots at once was committed in between */
	cut: string;
}

interface Whole {
	/** The account's slot updates as they were then */
	update: SlotUpdateDocument | null;
	slots: SlotDocument[];
	/** The service as it was then; undefined where the account was asked for */
	service: ServiceDocument | undefined;
	/** Answers of the same cut are of one moment. */
	cut: string;
}

/**
 * Reads slots as they were at one moment, though a bulk update changes them one by one and the store reads them one by
 * one. What was committed is looked at before and after; where it is the same, only the one update that was open before
 * can have been carried out meanwhile, and it is applied to what was read. Otherwise the slots are read again.
 *
 * @param read slots of this part; which ones may not depend on what a bulk update changes
 * @throws service_not_found
 */
export async function readWhole(store: CatalogStore, part: Part, read: () => Promise<SlotDocument[]>): Promise<Whole> {
	for (let before = await momentOf(store, part); ; ) {
		const slots = await read();
		const after = await momentOf(store, part);
		if (after.cut === before.cut) {
			const { update, service, cut } = after;
			return { update, slots: withUpdate(slots, before.update), service, cut };
		}
		before = after;
	}
}

async function momentOf(store: CatalogStore, { account_id, service_id }: Part): Promise<Moment> {
	if (service_id === undefined) {
		const halves = await finishHalves(store, account_id);
		const update = await store.slots.latestUpdate(account_id); // after them: see `carryOutReplacement`
		return { update, service: undefined, cut: [update?.sequence ?? 0, ...halves].join('.') };
	}
	const [update, service] = await Promise.all([
		store.slots.latestUpdate(account_id),
		findService(store, account_id, service_id),
	]);
	const { version, overrides_version = 0, generation = 0 } = service;
	return { update, service, cut: [update?.sequence ?? 0, version, overrides_version, generation].join('.') };
}

/**
 * A list of all the account's slots shows those of a service all or not at all. So what a creation, a deletion or a
 * replacement of a schedule has not yet come to is done here. A creation or a deletion that came and was done between two looks
 * shows in the number of services. They are counted first, for whatever is counted is then finished here, or was finished
 * before. (A deletion and a replacement show as a bulk update, too.)
 * @returns the number of services, and the ids of those that were finished here with the generations of their schedules
 */
async function finishHalves(store: CatalogStore, account_id: string): Promise<number[]> {
	const count = await store.services.count(account_id);
	const services = await store.services.halfDone(account_id);
	await Promise.all(
		services.map((service) =>
			service.unfinished === 'deleting' ? store.slots.dismiss(service) : finishService(store, service),
		),
	);
	return [count, ...services.flatMap(({ _id, generation = 0 }) => [_id, generation])];
}
