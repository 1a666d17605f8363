/** What the API answers, by the schemas that the gateway checks and describes it with. Types only: nothing of them is bundled. */
export type { Alternative, AvailabilityEntry } from '../../../../../shared/contract/schemas/availability.ts';
export type { Booking, BookingList, BookingStatus } from '../../../../../shared/contract/schemas/booking.ts';
export type {
	CalendarFeed,
	CalendarFeedList,
	NewCalendarFeed,
} from '../../../../../shared/contract/schemas/calendar-feed.ts';
export type { CustomerList, Erasure, PersonExport } from '../../../../../shared/contract/schemas/customer.ts';
export type {
	DateOverride,
	DateOverrideList,
	DateOverridePreview,
} from '../../../../../shared/contract/schemas/date-override.ts';
export type { Delivery, DeliveryList } from '../../../../../shared/contract/schemas/delivery.ts';
export type { BookingEvent, EventList, EventType } from '../../../../../shared/contract/schemas/event.ts';
/** An event of a booking, or of something else */
export type FeedEvent = import('../../../../../shared/contract/schemas/event.ts').EventList['events'][number];
export type { Impact } from '../../../../../shared/contract/schemas/impact.ts';
export type { ReplaceSchedule, Schedule, SchedulePreview } from '../../../../../shared/contract/schemas/schedule.ts';
export type { CreateService, Service, ServiceList } from '../../../../../shared/contract/schemas/service.ts';
export type { Usage } from '../../../../../shared/contract/schemas/usage.ts';
export type { Webhook, WebhookList, WebhookWithSecret } from '../../../../../shared/contract/schemas/webhook.ts';
