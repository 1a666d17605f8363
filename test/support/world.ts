import type { AvailabilityEntry } from '../../shared/contract/schemas/availability.ts';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import type { CalendarFeed } from '../../shared/contract/schemas/calendar-feed.ts';
import type { DateOverride } from '../../shared/contract/schemas/date-override.ts';
import type { Delivery, DeliveryList } from '../../shared/contract/schemas/delivery.ts';
import type { Schedule } from '../../shared/contract/schemas/schedule.ts';
import type { Service } from '../../shared/contract/schemas/service.ts';
import type { TimeSlot } from '../../shared/contract/schemas/time-slot.ts';
import type { Webhook, WebhookWithSecret } from '../../shared/contract/schemas/webhook.ts';
import type { Client } from './http-client.ts';
import {
	book,
	feedsOf,
	getBooking,
	getService,
	newCustomer,
	newFeed,
	overrideDates,
	overridesOf,
	scheduleOf,
	slotOn,
	slotsOf,
} from './scheduling.ts';

/** One of each thing that an account can have. */
export interface World {
	ids: {
		service: number;
		slot: number;
		booking: number;
		override: number;
		feed: number;
		webhook: number;
		delivery: number;
	};
	/** A date that falls on the slot */
	date: string;
	/** Everything as the API shows it to its owner */
	snapshot(): Promise<{
		service: Service;
		schedule: Schedule;
		slots: TimeSlot[];
		booking: Booking;
		availability: AvailabilityEntry[];
		overrides: DateOverride[];
		feeds: CalendarFeed[];
		webhook: Omit<Webhook, 'failing_since'>;
		deliveries: number;
	}>;
}

let worlds = 0;

/** Where nobody listens, at a URL of its own, of which an account has few; the events of no test. */
const nobody = () => ({ url: `http://127.0.0.1:9/${++worlds}`, events: ['booking.deleted'] });

export async function settleWorld(client: Client): Promise<World> {
	const place = await slotOn(client, { max_bookings: 5 });
	const booking = await book(client, place, newCustomer());
	const { id } = place.service;
	const override = await overrideDates(client, id, { time_slot_id: place.slot.id });
	const feed = await newFeed(client, id);
	const webhook = (await client.post<WebhookWithSecret>('/v1/webhooks', nobody())).mustBe(201);
	const delivery = (await client.post<Delivery>(`/v1/webhooks/${webhook.id}/test`)).mustBe(202);
	return {
		ids: {
			service: id,
			slot: place.slot.id,
			booking: booking.id,
			override: override.id,
			feed: feed.id,
			webhook: webhook.id,
			delivery: delivery.id,
		},
		date: place.date,
		async snapshot() {
			const range = `from=${place.date}&to=${place.date}`;
			const answer = await client.get<{ availability: AvailabilityEntry[] }>(
				`/v1/services/${id}/availability?${range}`,
			);
			const path = `/v1/webhooks/${webhook.id}`;
			const { failing_since: _, ...shown } = (await client.get<Webhook>(path)).mustBe(200);
			const list = (await client.get<DeliveryList>(`${path}/deliveries`)).mustBe(200);
			return {
				service: await getService(client, id),
				schedule: await scheduleOf(client, id),
				slots: await slotsOf(client, id),
				booking: await getBooking(client, booking.id),
				availability: answer.mustBe(200).availability,
				overrides: (await overridesOf(client, id)).date_overrides,
				feeds: await feedsOf(client, id),
				webhook: shown,
				deliveries: list.pagination.total_items,
			};
		},
	};
}
