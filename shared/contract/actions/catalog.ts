import type { Page } from '../account-reports.ts';
import type { ServiceReport } from '../reports.ts';
import type { Occurrence } from '../schemas/availability.ts';
import type { CalendarFeed, CreateCalendarFeed, NewCalendarFeed } from '../schemas/calendar-feed.ts';
import type { CreateDateOverride, DateOverride, DateOverridePreview } from '../schemas/date-override.ts';
import type { Impact } from '../schemas/impact.ts';
import type { Rules } from '../schemas/rules.ts';
import type { ReplaceSchedule, Schedule, SchedulePreview } from '../schemas/schedule.ts';
import type { CreateService, Service, ServiceList, UpdateService } from '../schemas/service.ts';
import type { TimeSlot, TimeSlotList, UpdateTimeSlots } from '../schemas/time-slot.ts';
import type { Created, Idempotency, IfMatch, Scoped } from './common.ts';

/** What a DELETE names of a service. */
export interface Removed extends Scoped {
	service_id: number;
	kind: 'date override' | 'calendar feed';
	id: number;
}

/** Services and their time slots. */
export interface CatalogActions {
	'catalog.createService': {
		params: Scoped & { body: CreateService; idempotency?: Idempotency };
		result: Created<Service>;
	};
	'catalog.listServices': { params: Scoped & { page: number; page_size: number; after?: number }; result: ServiceList };
	'catalog.getService': { params: Scoped & { service_id: number }; result: Service };
	'catalog.updateService': {
		params: Scoped & { service_id: number; body: UpdateService; if_match?: IfMatch };
		result: Service;
	};
	/** What the update would answer and mean, and the version that there is; refused where the update would be, as are the next previews. */
	'catalog.previewService': {
		params: Scoped & { service_id: number; body: UpdateService; if_match?: IfMatch };
		result: { data: Service & { impact: Impact }; version: number };
	};
	'catalog.deleteService': { params: Scoped & { service_id: number; if_match?: IfMatch }; result: 'ok' };
	/** The `ok` of a deletion was sent to the client. */
	'catalog.deletionAnswered': { params: Scoped & { service_id: number }; result: 'ok' };
	/** The same, of something that is a service's. */
	'catalog.removalAnswered': { params: Removed; result: 'ok' };
	/** Ids of the account's services that may have bookings: also of those that are deleted, until booking has closed them. */
	'catalog.serviceIds': { params: Scoped; result: number[] };
	'catalog.countServices': { params: Scoped; result: number };
	/** Whether each is a service of its account, in the order asked. */
	'catalog.areServices': { params: { services: ServiceKey[] }; result: boolean[] };
	'catalog.listSlots': { params: Scoped & SlotListParams; result: TimeSlotList & { cut: string } };
	'catalog.updateSlots': { params: Scoped & { body: UpdateTimeSlots }; result: { time_slots: TimeSlot[] } };
	'catalog.previewSlots': {
		params: Scoped & { body: UpdateTimeSlots };
		result: { time_slots: TimeSlot[]; impact: Impact };
	};
	'catalog.getSchedule': { params: Scoped & { service_id: number }; result: Schedule };
	'catalog.replaceSchedule': {
		params: Scoped & { service_id: number; body: ReplaceSchedule; if_match?: IfMatch };
		result: Schedule;
	};
	'catalog.previewSchedule': {
		params: Scoped & { service_id: number; body: ReplaceSchedule; if_match?: IfMatch };
		result: { data: SchedulePreview; version: number };
	};
	'catalog.createOverride': { params: Scoped & { service_id: number; body: CreateDateOverride }; result: DateOverride };
	'catalog.previewOverride': {
		params: Scoped & { service_id: number; body: CreateDateOverride };
		result: DateOverridePreview;
	};
	/** From `offset` on, by first date, then id. Answers of one `cut` are of one moment. */
	'catalog.listOverrides': {
		params: Scoped & { service_id: number; offset: number; limit: number };
		result: { date_overrides: DateOverride[]; total: number; cut: string };
	};
	'catalog.deleteOverride': { params: Scoped & { service_id: number; override_id: number }; result: 'ok' };
	'catalog.createFeed': { params: Scoped & { service_id: number; body: CreateCalendarFeed }; result: NewCalendarFeed };
	/** All of them, by id. */
	'catalog.listFeeds': { params: Scoped & { service_id: number }; result: CalendarFeed[] };
	'catalog.deleteFeed': { params: Scoped & { service_id: number; feed_id: number }; result: 'ok' };
	/** The feed of a token, whose SHA-256 `hash` is, in hex; null where there is none, or where its service is deleted. */
	'catalog.findFeed': { params: { hash: string }; result: FoundFeed | null };
	/** Slots by id, in the order asked; null where there is none, or where it is another account's. */
	'catalog.slots': { params: { slots: OccurrenceKey[] }; result: (SlotNow | null)[] };
	/** Every occurrence from `from` to `to`, by date, then slot. `next`: where to go on; null at the end. */
	'catalog.occurrences': {
		params: Scoped & OccurrencesParams & { limit: number };
		result: { occurrences: Occurrence[]; timezone: string; rules: Rules; next: NextOccurrences | null };
	};
	/** For operators, as are the next ones: the account's services by id, after the id `after`. */
	'catalog.serviceReports': { params: Scoped & { after?: number }; result: Page<ServiceReport, number> };
	/** A service of any account, by its id alone; null where there is none. */
	'catalog.findService': { params: { service_id: number }; result: Scoped | null };
	/** A slot of any account, by its id alone; null where there is none. */
	'catalog.findSlot': {
		params: { time_slot_id: number; date?: string };
		result: (Scoped & SlotNow) | null;
	};
}

export interface ServiceKey {
	account_id: string;
	service_id: number;
}

/** A calendar feed whose token somebody has. */
export interface FoundFeed extends ServiceKey {
	feed_id: number;
	include_customers: boolean;
	service_name: string;
}

/** `plan`: that of the piece before, so that all pieces of one answer show the slots as they were at one moment. */
export interface OccurrencesParams {
	service_id: number;
	from: string;
	to: string;
	plan?: SlotPlan;
}

/** All that decides when the slots of a service occur: 200 KB at most */
export interface SlotPlan {
	timezone: string;
	rules: Rules;
	/** Those that meet the dates that are asked for */
	overrides: Omit<DateOverride, 'reason'>[];
	slots: Omit<TimeSlot, 'service_id' | 'created_at' | 'updated_at'>[];
}

export type NextOccurrences = Required<Pick<OccurrencesParams, 'from' | 'plan'>>;

/** A slot, and the time zone of its service. */
export interface SlotInZone {
	slot: TimeSlot;
	timezone: string;
}

/** A slot, and what of its service decides about a booking of it, as both are now. */
export interface SlotNow extends SlotInZone {
	rules: Rules;
	/** The one that holds on the date that was asked for, where one does */
	override: { id: number; max_bookings: number } | null;
	/** When one of the service's was last made or deleted; null: never */
	overrides_changed_at: string | null;
}

/** A slot, on a date where that matters. */
export interface OccurrenceKey extends SlotKey {
	date?: string;
	/** Whether a slot is there, too, that a new schedule has retired */
	retired?: true;
}

export interface SlotKey {
	account_id: string;
	time_slot_id: number;
}

/**
 * Answers with the same `cut` show the slots as of one moment; where it differs, something changed them in between.
 *
 * `all`: every slot on one page. An answer has at most 1,000, so go on with the last id as `after` until one has fewer. With
 * `after`, a list that is fetched in pieces leaves out nothing where earlier rows go meanwhile; `page` then says nothing.
 */
export interface SlotListParams {
	service_id?: number;
	page: number;
	page_size: number;
	all: boolean;
	after?: number;
}
