/* Made from the OpenAPI document by `npm run generate:clients`; do not edit. */
import { runtime, QS, type RequestOpts } from './runtime.ts';

const oazapfts = runtime();
export type TimeSlotInput = {
    /** 0 is Sunday */
    day_of_week: number;
    /** Start, wall-clock time in the service's time zone */
    start_time: string;
    /** End, wall-clock time in the service's time zone; after the start */
    end_time: string;
    /** Bookings that the slot takes on one date */
    max_bookings: number;
    /** First date on which it can be booked; null: any */
    valid_from?: string | null;
    /** Last date on which it can be booked; null: any */
    valid_until?: string | null;
};
export type CreateService = {
    /** Name, at most 72 characters */
    name: string;
    /** At most 255 characters */
    description?: string | null;
    /** IANA name */
    timezone: string;
    rules?: {
        /** Minutes before its start until which a time slot can be booked; 0: until it begins; null: for ever */
        min_notice_minutes?: number | null;
        /** Days in advance, from today by the service's clocks; null: any number */
        max_advance_days?: number | null;
    };
    /** Texts of your own by keys of your own: at most 50 keys of 1 to 40 characters, without a `.` and a leading `$`, each with at most 500 characters, and 4 KiB together */
    metadata?: {
        [key: string]: string;
    };
    /** At most 500 */
    time_slots?: TimeSlotInput[] | null;
};
export type Rules = {
    /** Minutes before its start until which a time slot can be booked; 0: until it begins; null: for ever */
    min_notice_minutes: number | null;
    /** Days in advance, from today by the service's clocks; null: any number */
    max_advance_days: number | null;
};
export type Role = {
    id: number;
    name: string;
    description: string;
    /** Grows with power */
    level: number;
};
export type Package = {
    id: number;
    name: string;
    /** Bookings a UTC month; null: no limit */
    bookings_per_month: number | null;
    /** Requests a UTC month; null: no limit */
    requests_per_month: number | null;
    /** Sustained requests a second; null: no limit */
    rate_limit_per_second: number | null;
    /** Services; null: no limit */
    services_limit: number | null;
    overages_enabled: boolean;
    /** Price of one booking over the plan, in the currency's minor unit */
    overage_price_amount: number;
    /** Price of the plan, in the currency's minor unit */
    price_amount: number;
    /** ISO 4217, lower case */
    price_currency: string;
    price_interval: "month" | "year";
    payment_overage_price_id: string | null;
    payment_price_id: string | null;
    /** When the package was made */
    created_at: string;
    /** When the package was last changed */
    updated_at: string;
};
export type Provider = {
    id: string;
    name: string;
    email: string | null;
    phone: string | null;
    avatar: string | null;
    is_verified: boolean;
    role_id: number;
    role: Role;
    package_id: number;
    "package": Package;
    payment_customer_id: string | null;
    subscription_status: "trialing" | "active" | "past_due" | "canceled";
    /** When the account was made */
    created_at: string;
    /** When the account was last changed */
    updated_at: string;
};
export type Service = {
    /** Service */
    id: number;
    /** Name, at most 72 characters */
    name: string;
    /** At most 255 characters */
    description: string | null;
    /** IANA name */
    timezone: string;
    rules: Rules;
    /** Texts of your own by keys of your own: at most 50 keys of 1 to 40 characters, without a `.` and a leading `$`, each with at most 500 characters, and 4 KiB together */
    metadata: {
        [key: string]: string;
    };
    /** Bookings that are not cancelled */
    bookings_count: number;
    provider: Provider;
    provider_id: string;
    /** Grows by 1 with each change */
    version: number;
    /** When it was made */
    created_at: string;
    /** When it was last changed */
    updated_at: string;
};
export type Pagination = {
    page: number;
    page_size: number;
    total_items: number;
    total_pages: number;
    current_page: number;
    total_count: number;
};
export type ServiceList = {
    services: Service[];
    pagination: Pagination;
};
export type UpdateService = {
    /** Name, at most 72 characters */
    name?: string;
    /** At most 255 characters */
    description?: string | null;
    /** IANA name */
    timezone?: string;
    rules?: {
        /** Minutes before its start until which a time slot can be booked; 0: until it begins; null: for ever */
        min_notice_minutes?: number | null;
        /** Days in advance, from today by the service's clocks; null: any number */
        max_advance_days?: number | null;
    };
    /** Keys to set, each with its text; `null` removes a key, and what is not named stays */
    metadata?: {
        [key: string]: string | null;
    };
    /** Must be the current one: 409 */
    version?: number;
};
export type Impact = {
    /** Time slots and dates with more bookings than their maximum would be */
    over_capacity: {
        /** How many there would be */
        total: number;
        /** The first 100, by date, then time slot */
        items: {
            /** Time slot */
            time_slot_id: number;
            /** Date */
            date: string;
            /** Bookings that hold a place */
            booked: number;
            /** The maximum on that date */
            max_bookings: number;
        }[];
    };
    /** Bookings of time slots that would go */
    retired: {
        /** How many there would be */
        total: number;
        /** The first 100, by date, then time slot */
        items: {
            /** Booking */
            booking_id: number;
            /** Time slot */
            time_slot_id: number;
            /** Date */
            date: string;
            /** The start that was promised, ISO 8601 with the service's offset on that date */
            starts_at: string;
            /** The end that was promised, ISO 8601 with the service's offset on that date */
            ends_at: string;
        }[];
    };
    /** Bookings whose promised moments would not be those of the schedule */
    out_of_step: {
        /** How many there would be */
        total: number;
        /** The first 100, by date, then time slot */
        items: {
            /** Booking */
            booking_id: number;
            /** Time slot */
            time_slot_id: number;
            /** Date */
            date: string;
            /** The start that was promised, ISO 8601 with the service's offset on that date */
            starts_at: string;
            /** The end that was promised, ISO 8601 with the service's offset on that date */
            ends_at: string;
            /** The start by the schedule, ISO 8601; null: the time slot would not be on that date */
            scheduled_starts_at: string | null;
            /** The end by the schedule, ISO 8601; null: the time slot would not be on that date */
            scheduled_ends_at: string | null;
        }[];
    };
};
export type ServicePreview = {
    /** Service */
    id: number;
    /** Name, at most 72 characters */
    name: string;
    /** At most 255 characters */
    description: string | null;
    /** IANA name */
    timezone: string;
    rules: Rules;
    /** Texts of your own by keys of your own: at most 50 keys of 1 to 40 characters, without a `.` and a leading `$`, each with at most 500 characters, and 4 KiB together */
    metadata: {
        [key: string]: string;
    };
    /** Bookings that are not cancelled */
    bookings_count: number;
    provider: Provider;
    provider_id: string;
    /** Grows by 1 with each change */
    version: number;
    /** When it was made */
    created_at: string;
    /** When it was last changed */
    updated_at: string;
    impact: Impact;
};
export type TimeSlot = {
    /** Time slot */
    id: number;
    /** Service */
    service_id: number;
    /** 0 is Sunday */
    day_of_week: number;
    /** Start, wall-clock time in the service's time zone */
    start_time: string;
    /** End, wall-clock time in the service's time zone; after the start */
    end_time: string;
    /** Bookings that the slot takes on one date */
    max_bookings: number;
    /** First date on which it can be booked; null: any */
    valid_from: string | null;
    /** Last date on which it can be booked; null: any */
    valid_until: string | null;
    /** When it was made */
    created_at: string;
    /** When it was last changed */
    updated_at: string;
};
export type TimeSlotList = {
    time_slots: TimeSlot[];
    pagination: Pagination;
};
export type TimeSlotChange = {
    /** Time slot to change */
    id: number;
    /** 0 is Sunday */
    day_of_week?: number;
    /** Start, wall-clock time in the service's time zone */
    start_time?: string;
    /** End, wall-clock time in the service's time zone; after the start */
    end_time?: string;
    /** Bookings that the slot takes on one date */
    max_bookings?: number;
    /** First date on which it can be booked; null: any */
    valid_from?: string | null;
    /** Last date on which it can be booked; null: any */
    valid_until?: string | null;
};
export type UpdateTimeSlots = {
    time_slots: TimeSlotChange[];
};
export type TimeSlotsPreview = {
    time_slots: TimeSlot[];
    impact: Impact;
};
export type UpdatedTimeSlots = {
    time_slots: TimeSlot[];
};
export type AvailabilityEntry = {
    /** Date */
    date: string;
    /** Time slot */
    time_slot_id: number;
    /** Start, ISO 8601 with the service's offset on that date */
    starts_at: string;
    /** End, ISO 8601 with the service's offset on that date */
    ends_at: string;
    max_bookings: number;
    /** The date override that the maximum is of; null: it is the slot’s own */
    override_id: number | null;
    /** Bookings that hold a place */
    booked: number;
    remaining: number;
    bookable: boolean;
    /** Why it is not bookable: too late or too early by the rules of the service, `closed` where the maximum is 0, or full */
    reason: ("full" | "closed" | "notice" | "horizon") | null;
};
export type Availability = {
    availability: AvailabilityEntry[];
};
export type ServiceAvailabilityEntry = {
    /** Service */
    service_id: number;
    /** Date */
    date: string;
    /** Time slot */
    time_slot_id: number;
    /** Start, ISO 8601 with the service's offset on that date */
    starts_at: string;
    /** End, ISO 8601 with the service's offset on that date */
    ends_at: string;
    max_bookings: number;
    /** The date override that the maximum is of; null: it is the slot’s own */
    override_id: number | null;
    /** Bookings that hold a place */
    booked: number;
    remaining: number;
    bookable: boolean;
    /** Why it is not bookable: too late or too early by the rules of the service, `closed` where the maximum is 0, or full */
    reason: ("full" | "closed" | "notice" | "horizon") | null;
};
export type ServicesAvailability = {
    availability: ServiceAvailabilityEntry[];
};
export type Schedule = {
    /** IANA name */
    timezone: string;
    /** By id */
    time_slots: TimeSlot[];
    rules: Rules;
    /** Grows by 1 with each change */
    version: number;
};
export type ScheduledSlot = {
    /** Time slot that stays; left out: a new one */
    id?: number;
    /** 0 is Sunday */
    day_of_week: number;
    /** Start, wall-clock time in the service's time zone */
    start_time: string;
    /** End, wall-clock time in the service's time zone; after the start */
    end_time: string;
    /** Bookings that the slot takes on one date */
    max_bookings: number;
    /** First date on which it can be booked; null: any */
    valid_from?: string | null;
    /** Last date on which it can be booked; null: any */
    valid_until?: string | null;
};
export type ReplaceSchedule = {
    /** IANA name */
    timezone: string;
    /** Time slots of the service that are left out are retired */
    time_slots: ScheduledSlot[];
    /** Those that are left out are null */
    rules?: {
        /** Minutes before its start until which a time slot can be booked; 0: until it begins; null: for ever */
        min_notice_minutes?: number | null;
        /** Days in advance, from today by the service's clocks; null: any number */
        max_advance_days?: number | null;
    } | null;
    /** Must be the current one: 409 */
    version?: number;
};
export type SchedulePreview = {
    /** IANA name */
    timezone: string;
    /** Those that stay by id, then new ones */
    time_slots: {
        /** null: it is not there, for nothing was made */
        id: number | null;
        /** Service */
        service_id: number;
        /** 0 is Sunday */
        day_of_week: number;
        /** Start, wall-clock time in the service's time zone */
        start_time: string;
        /** End, wall-clock time in the service's time zone; after the start */
        end_time: string;
        /** Bookings that the slot takes on one date */
        max_bookings: number;
        /** First date on which it can be booked; null: any */
        valid_from: string | null;
        /** Last date on which it can be booked; null: any */
        valid_until: string | null;
        /** When it was made */
        created_at: string;
        /** When it was last changed */
        updated_at: string;
    }[];
    rules: Rules;
    /** Grows by 1 with each change */
    version: number;
    impact: Impact;
};
export type CreateDateOverride = {
    /** First date */
    date_from: string;
    /** Last date, at most 366 days in all */
    date_to: string;
    /** Only this time slot of the service; null: all of them */
    time_slot_id?: number | null;
    /** On these dates in place of the time slot's own; 0 closes */
    max_bookings: number;
    /** At most 255 characters */
    reason?: string | null;
};
export type DateOverridePreview = {
    /** There is none: nothing was made */
    id: null;
    /** First date */
    date_from: string;
    /** Last date, at most 366 days in all */
    date_to: string;
    /** Only this time slot of the service; null: all of them */
    time_slot_id: number | null;
    /** On these dates in place of the time slot's own; 0 closes */
    max_bookings: number;
    /** At most 255 characters */
    reason: string | null;
    impact: Impact;
};
export type DateOverride = {
    /** Date override */
    id: number;
    /** First date */
    date_from: string;
    /** Last date, at most 366 days in all */
    date_to: string;
    /** Only this time slot of the service; null: all of them */
    time_slot_id: number | null;
    /** On these dates in place of the time slot's own; 0 closes */
    max_bookings: number;
    /** At most 255 characters */
    reason: string | null;
};
export type DateOverrideList = {
    date_overrides: DateOverride[];
    pagination: Pagination;
};
export type CreateCalendarFeed = {
    /** false if left out */
    include_customers?: boolean | null;
};
export type NewCalendarFeed = {
    /** Calendar feed */
    id: number;
    /** Service */
    service_id: number;
    /** Whether it tells the customers' names, addresses and numbers */
    include_customers: boolean;
    /** When it was made */
    created_at: string;
    /** Where it is read, on the host of the API, without a key. Shown this once */
    address: string;
};
export type CalendarFeed = {
    /** Calendar feed */
    id: number;
    /** Service */
    service_id: number;
    /** Whether it tells the customers' names, addresses and numbers */
    include_customers: boolean;
    /** When it was made */
    created_at: string;
};
export type CalendarFeedList = {
    calendar_feeds: CalendarFeed[];
    pagination: Pagination;
};
export type CreateBooking = {
    /** A date that falls on the slot's day of the week */
    date: string;
    /** Time slot */
    time_slot_id: number;
    service_id?: number | null;
    /** At most 255 characters, at least one of them visible */
    customer_name?: string | null;
    customer_email?: string | null;
    customer_phone?: string | null;
    /** Notes, at most 1000 characters */
    message?: string | null;
    /** Texts of your own by keys of your own: at most 50 keys of 1 to 40 characters, without a `.` and a leading `$`, each with at most 500 characters, and 4 KiB together */
    metadata?: {
        [key: string]: string;
    };
    /** Minutes from now at which the booking is cancelled, unless it is confirmed: 1 to 10080 */
    hold_minutes?: number | null;
};
export type BookingStatus = "pending" | "confirmed" | "cancelled";
export type Customer = {
    /** Customer */
    id: number;
    /** At most 255 characters, at least one of them visible */
    name: string | null;
    email: string | null;
    phone: string | null;
    /** When it was made */
    created_at: string;
    /** When it was last changed */
    updated_at: string;
};
export type Booking = {
    /** Booking */
    id: number;
    /** Service */
    service_id: number;
    /** Date of the booking */
    date: string;
    /** Time slot */
    time_slot_id: number;
    /** Start, as it was promised when the booking took its place, ISO 8601 with the service's offset on that date */
    starts_at: string;
    /** End, likewise, ISO 8601 with the service's offset on that date */
    ends_at: string;
    /** The service's, likewise */
    timezone: string;
    status: BookingStatus;
    /** 1 to 1000 characters */
    cancel_reason?: string;
    /** When its hold ends, or ended where it expired; null where it has none */
    expires_at: string | null;
    /** Notes, at most 1000 characters */
    message: string | null;
    /** Texts of your own by keys of your own: at most 50 keys of 1 to 40 characters, without a `.` and a leading `$`, each with at most 500 characters, and 4 KiB together */
    metadata: {
        [key: string]: string;
    };
    customer: Customer;
    /** Customer */
    customer_id: number;
    /** As it was when the booking took its place */
    time_slot: {
        /** Time slot */
        id: number;
        /** Service */
        service_id: number;
        /** 0 is Sunday */
        day_of_week: number;
        /** Start, wall-clock time in the service's time zone */
        start_time: string;
        /** End, wall-clock time in the service's time zone; after the start */
        end_time: string;
        /** Bookings that the slot takes on one date */
        max_bookings: number;
        /** First date on which it can be booked; null: any */
        valid_from: string | null;
        /** Last date on which it can be booked; null: any */
        valid_until: string | null;
        /** When it was made */
        created_at: string;
        /** When it was last changed */
        updated_at: string;
    };
    /** The account */
    user_id: string;
    /** Grows by 1 with each change */
    version: number;
    /** When it was made */
    created_at: string;
    /** When it was last changed */
    updated_at: string;
};
export type BookingList = {
    bookings: Booking[];
    pagination: Pagination;
};
export type UpdateBooking = {
    /** Moves the booking */
    date?: string;
    /** Moves the booking to this slot of the account, with `date` or on its own; `service_id` follows */
    time_slot_id?: number;
    status?: "pending" | "confirmed" | "cancelled";
    /** Required when the status becomes `cancelled` */
    cancel_reason?: string | null;
    /** Notes, at most 1000 characters */
    message?: string | null;
    /** Keys to set, each with its text; `null` removes a key, and what is not named stays */
    metadata?: {
        [key: string]: string | null;
    };
    /** Minutes from now at which the booking is cancelled, unless it is confirmed: 1 to 10080 */
    hold_minutes?: number | null;
    /** Must be the current one: 409 */
    version?: number;
};
export type UpdateCustomer = {
    /** At most 255 characters, at least one of them visible */
    name?: string | null;
    email?: string | null;
    phone?: string | null;
};
export type DirectoryCustomer = {
    /** Customer */
    id: number;
    /** At most 255 characters, at least one of them visible */
    name: string | null;
    email: string | null;
    phone: string | null;
    /** Booking */
    booking_id: number;
    /** Service */
    service_id: number;
    /** Date of the booking */
    date: string;
    status: BookingStatus;
};
export type CustomerList = {
    customers: DirectoryCustomer[];
    pagination: Pagination;
};
export type BookingEventType = "booking.created" | "booking.confirmed" | "booking.cancelled" | "booking.updated" | "booking.deleted";
export type Previous = {
    /** Booking */
    id?: number;
    /** Service */
    service_id?: number;
    /** Date of the booking */
    date?: string;
    /** Time slot */
    time_slot_id?: number;
    /** Start, as it was promised when the booking took its place, ISO 8601 with the service's offset on that date */
    starts_at?: string;
    /** End, likewise, ISO 8601 with the service's offset on that date */
    ends_at?: string;
    /** The service's, likewise */
    timezone?: string;
    status?: "pending" | "confirmed" | "cancelled";
    cancel_reason?: string | null;
    /** When its hold ends, or ended where it expired; null where it has none */
    expires_at?: string | null;
    /** Notes, at most 1000 characters */
    message?: string | null;
    /** Texts of your own by keys of your own: at most 50 keys of 1 to 40 characters, without a `.` and a leading `$`, each with at most 500 characters, and 4 KiB together */
    metadata?: {
        [key: string]: string;
    };
    customer?: {
        /** Customer */
        id: number;
        /** At most 255 characters, at least one of them visible */
        name: string | null;
        email: string | null;
        phone: string | null;
        /** When it was made */
        created_at: string;
        /** When it was last changed */
        updated_at: string;
    };
    /** Customer */
    customer_id?: number;
    /** As it was when the booking took its place */
    time_slot?: {
        /** Time slot */
        id: number;
        /** Service */
        service_id: number;
        /** 0 is Sunday */
        day_of_week: number;
        /** Start, wall-clock time in the service's time zone */
        start_time: string;
        /** End, wall-clock time in the service's time zone; after the start */
        end_time: string;
        /** Bookings that the slot takes on one date */
        max_bookings: number;
        /** First date on which it can be booked; null: any */
        valid_from: string | null;
        /** Last date on which it can be booked; null: any */
        valid_until: string | null;
        /** When it was made */
        created_at: string;
        /** When it was last changed */
        updated_at: string;
    };
    /** The account */
    user_id?: string;
    /** When it was made */
    created_at?: string;
};
export type BookingEvent = {
    /** `evt_<booking>_<version>`, the same on every delivery */
    id: string;
    "type": BookingEventType;
    /** When the change happened */
    timestamp: string;
    /** Without a gap per account */
    sequence: number;
    data: Booking;
    previous: Previous;
};
export type PersonExport = {
    email: string | null;
    phone: string | null;
    /** When it was read */
    exported_at: string;
    /** Those that are for this person, by id */
    bookings: Booking[];
    /** What an Idempotency-Key still answers that tells of this person */
    first_answers: {
        /** When it is 24 h old */
        kept_until: string;
        answer: Booking;
    }[];
    /** Events that tell of this person, also of bookings that were deleted or are for somebody else now */
    events: {
        event: BookingEvent;
        /** To which webhooks it was or will be sent */
        deliveries: {
            /** Delivery */
            delivery_id: number;
            /** Webhook */
            webhook_id: number;
            /** `pending`, `delivered` or `failed` */
            status: string;
        }[];
    }[];
    /** Whether there is more about bookings with higher ids */
    has_more: boolean;
    /** The `after` to go on with */
    next_after: number;
};
export type EventType = "booking.created" | "booking.confirmed" | "booking.cancelled" | "booking.updated" | "booking.deleted" | "customer.erased";
export type CustomerErased = {
    /** The same on every delivery */
    id: string;
    "type": "customer.erased";
    /** When it was asked for */
    timestamp: string;
    /** Without a gap per account */
    sequence: number;
    data: {
        /** Those that were, or had been, for the person, at most 1,000: further ones have events of their own */
        booking_ids: number[];
    };
    previous: {};
};
export type Event = BookingEvent | CustomerErased;
export type EventList = {
    events: Event[];
    has_more: boolean;
    /** The `after` to go on with. Nothing that was asked for lies between; it moves on also where no event was of `types` or `booking_id` */
    next_after: number;
};
export type CreateWebhook = {
    /** Where events are posted to: https, at a public address */
    url: string;
    /** Types of events that are sent; `["*"]`, all, if left out */
    events?: ("booking.created" | "booking.confirmed" | "booking.cancelled" | "booking.updated" | "booking.deleted" | "customer.erased" | "*")[] | null;
    /** At most 255 characters */
    description?: string | null;
    /** true if left out */
    enabled?: boolean | null;
};
export type WebhookWithSecret = {
    /** Webhook */
    id: number;
    /** Where events are posted to: https, at a public address */
    url: string;
    /** Types of events that are sent; `["*"]` for all, also for those that will be added */
    events: ("booking.created" | "booking.confirmed" | "booking.cancelled" | "booking.updated" | "booking.deleted" | "customer.erased" | "*")[];
    /** At most 255 characters */
    description: string | null;
    /** Nothing is sent and nothing is queued while it is false */
    enabled: boolean;
    /** `requested`: by a client · `gone`: the endpoint answered 410 · `failing`: every attempt of five days failed · null: it is enabled */
    disabled_reason: ("requested" | "gone" | "failing") | null;
    disabled_at: string | null;
    failing_since: string | null;
    /** Events that were no longer kept when their turn came, and so were not sent: read the bookings anew. null: there are none since it was enabled */
    missed: {
        /** Sequence of the first of them */
        first: number;
        /** Sequence of the last of them */
        last: number;
    } | null;
    /** Grows by 1 with each change */
    version: number;
    /** When it was made */
    created_at: string;
    /** When it was last changed */
    updated_at: string;
    /** Signs the deliveries, by Standard Webhooks 1.0. Shown this once */
    secret: string;
};
export type Webhook = {
    /** Webhook */
    id: number;
    /** Where events are posted to: https, at a public address */
    url: string;
    /** Types of events that are sent; `["*"]` for all, also for those that will be added */
    events: ("booking.created" | "booking.confirmed" | "booking.cancelled" | "booking.updated" | "booking.deleted" | "customer.erased" | "*")[];
    /** At most 255 characters */
    description: string | null;
    /** Nothing is sent and nothing is queued while it is false */
    enabled: boolean;
    /** `requested`: by a client · `gone`: the endpoint answered 410 · `failing`: every attempt of five days failed · null: it is enabled */
    disabled_reason: ("requested" | "gone" | "failing") | null;
    disabled_at: string | null;
    failing_since: string | null;
    /** Events that were no longer kept when their turn came, and so were not sent: read the bookings anew. null: there are none since it was enabled */
    missed: {
        /** Sequence of the first of them */
        first: number;
        /** Sequence of the last of them */
        last: number;
    } | null;
    /** Grows by 1 with each change */
    version: number;
    /** When it was made */
    created_at: string;
    /** When it was last changed */
    updated_at: string;
};
export type WebhookList = {
    webhooks: Webhook[];
    pagination: Pagination;
};
export type UpdateWebhook = {
    /** Where events are posted to: https, at a public address */
    url?: string;
    /** Types of events that are sent; `["*"]` for all, also for those that will be added */
    events?: ("booking.created" | "booking.confirmed" | "booking.cancelled" | "booking.updated" | "booking.deleted" | "customer.erased" | "*")[];
    /** At most 255 characters */
    description?: string | null;
    /** Nothing is sent and nothing is queued while it is false */
    enabled?: boolean;
    /** Must be the current one: 409 */
    version?: number;
};
export type DeliveryStatus = "pending" | "delivered" | "failed";
export type DeliveryAttempt = {
    /** When it began */
    at: string;
    /** ms */
    duration: number;
    /** HTTP status of the answer; null where there was none */
    status: number | null;
    /** Why there is no complete answer; null where there is one */
    error: string | null;
};
export type Delivery = {
    /** Delivery */
    id: number;
    /** Webhook */
    webhook_id: number;
    /** Sent as `webhook-id`, the same in every attempt */
    event_id: string;
    event_type: "booking.created" | "booking.confirmed" | "booking.cancelled" | "booking.updated" | "booking.deleted" | "customer.erased" | "webhook.test";
    /** Of the event; null for a test */
    sequence: number | null;
    status: DeliveryStatus;
    /** The last 20, oldest first */
    attempts: DeliveryAttempt[];
    next_attempt_at: string | null;
    /** When it was queued */
    created_at: string;
};
export type DeliveryList = {
    deliveries: Delivery[];
    pagination: Pagination;
};
export type RecoverWebhook = {
    /** Deliveries that failed then or later are sent again */
    since: string;
};
export type Usage = {
    /** The month, in UTC */
    month: string;
    /** When the month ends, and its counts begin anew */
    resets_at: string;
    /** Name of the plan as it is now */
    "package": string;
    /** Whether more than the monthly limits is served */
    overages_enabled: boolean;
    requests: {
        /** Requests that were let through of the month so far */
        used: number;
        /** What the plan includes a month; null: no limit */
        limit: number | null;
        /** What is left of it; null: no limit */
        remaining: number | null;
        /** What was used beyond the limit; 0 where the plan has no overages */
        overage: number;
        /** What will have been used when the month ends, if it goes on as it went since the month began, or since the account was made where that is later. No limit is applied to it. null within the first day of that time */
        projected: number | null;
    };
    bookings: {
        /** Bookings made, also those that were cancelled or deleted since of the month so far */
        used: number;
        /** What the plan includes a month; null: no limit */
        limit: number | null;
        /** What is left of it; null: no limit */
        remaining: number | null;
        /** What was used beyond the limit; 0 where the plan has no overages */
        overage: number;
        /** What will have been used when the month ends, if it goes on as it went since the month began, or since the account was made where that is later. No limit is applied to it. null within the first day of that time */
        projected: number | null;
    };
    services: {
        /** Services that there are now */
        used: number;
        /** Services that the plan allows; null: no limit */
        limit: number | null;
        /** What is left of it; null: no limit */
        remaining: number | null;
    };
    /** What the key of this request may do */
    scopes: ("read" | "write")[];
};
/**
 * Create a service
 */
export function createService({ idempotencyKey, body }: {
    idempotencyKey?: string;
    body: CreateService;
}, opts?: RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: Service;
    }>("/v1/services", oazapfts.json({
        ...opts,
        method: "POST",
        body,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "Idempotency-Key": idempotencyKey
        })
    }));
}
/**
 * List services
 */
export function listServices({ page, pageSize }: {
    page?: number;
    pageSize?: number;
}, opts?: RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: ServiceList;
    }>(`/v1/services${QS.query(QS.explode({
        page,
        page_size: pageSize
    }))}`, {
        ...opts
    });
}
/**
 * Get a service
 */
export function getService({ serviceId }: {
    serviceId: number;
}, opts?: RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Service;
    }>(`/v1/services/${encodeURIComponent(serviceId)}`, {
        ...opts
    });
}
/**
 * Update a service
 */
export function updateService({ serviceId, dryRun, ifMatch, body }: {
    serviceId: number;
    dryRun?: boolean;
    ifMatch?: string;
    body: UpdateService;
}, opts?: RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: ServicePreview | Service;
    }>(`/v1/services/${encodeURIComponent(serviceId)}${QS.query(QS.explode({
        dry_run: dryRun
    }))}`, oazapfts.json({
        ...opts,
        method: "PATCH",
        body,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-Match": ifMatch
        })
    }));
}
/**
 * Delete a service
 */
export function deleteService({ serviceId, ifMatch }: {
    serviceId: number;
    ifMatch?: string;
}, opts?: RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: "ok";
    }>(`/v1/services/${encodeURIComponent(serviceId)}`, {
        ...opts,
        method: "DELETE",
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-Match": ifMatch
        })
    });
}
/**
 * List the time slots of a service
 */
export function listServiceTimeSlots({ serviceId, page, pageSize, noPagination }: {
    serviceId: number;
    page?: number;
    pageSize?: number;
    noPagination?: boolean;
}, opts?: RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: TimeSlot[] | TimeSlotList;
    }>(`/v1/services/${encodeURIComponent(serviceId)}/time-slots${QS.query(QS.explode({
        page,
        page_size: pageSize,
        no_pagination: noPagination
    }))}`, {
        ...opts
    });
}
/**
 * List time slots
 */
export function listTimeSlots({ serviceId, page, pageSize, noPagination }: {
    serviceId?: number;
    page?: number;
    pageSize?: number;
    noPagination?: boolean;
}, opts?: RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: TimeSlotList;
    }>(`/v1/time-slots${QS.query(QS.explode({
        service_id: serviceId,
        page,
        page_size: pageSize,
        no_pagination: noPagination
    }))}`, {
        ...opts
    });
}
/**
 * Update time slots
 */
export function updateTimeSlots({ dryRun, body }: {
    dryRun?: boolean;
    body: UpdateTimeSlots;
}, opts?: RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: TimeSlotsPreview | UpdatedTimeSlots;
    }>(`/v1/time-slots${QS.query(QS.explode({
        dry_run: dryRun
    }))}`, oazapfts.json({
        ...opts,
        method: "PATCH",
        body
    }));
}
/**
 * Get the availability of a service
 */
export function getServiceAvailability({ serviceId, from, to, timeSlotId, bookable }: {
    serviceId: number;
    from: string;
    to: string;
    timeSlotId?: number;
    bookable?: boolean;
}, opts?: RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Availability;
    }>(`/v1/services/${encodeURIComponent(serviceId)}/availability${QS.query(QS.explode({
        "from": from,
        to,
        time_slot_id: timeSlotId,
        bookable
    }))}`, {
        ...opts
    });
}
/**
 * Get the availability of several services
 */
export function getAvailability({ serviceIds, from, to, timeSlotId, bookable }: {
    serviceIds: number[];
    from: string;
    to: string;
    timeSlotId?: number;
    bookable?: boolean;
}, opts?: RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: ServicesAvailability;
    }>(`/v1/availability${QS.query(QS.form({
        service_ids: serviceIds
    }), QS.explode({
        "from": from,
        to,
        time_slot_id: timeSlotId,
        bookable
    }))}`, {
        ...opts
    });
}
/**
 * Get the schedule of a service
 */
export function getSchedule({ serviceId }: {
    serviceId: number;
}, opts?: RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Schedule;
    }>(`/v1/services/${encodeURIComponent(serviceId)}/schedule`, {
        ...opts
    });
}
/**
 * Replace the schedule of a service
 */
export function replaceSchedule({ serviceId, dryRun, ifMatch, body }: {
    serviceId: number;
    dryRun?: boolean;
    ifMatch?: string;
    body: ReplaceSchedule;
}, opts?: RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: SchedulePreview | Schedule;
    }>(`/v1/services/${encodeURIComponent(serviceId)}/schedule${QS.query(QS.explode({
        dry_run: dryRun
    }))}`, oazapfts.json({
        ...opts,
        method: "PUT",
        body,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-Match": ifMatch
        })
    }));
}
/**
 * Create a date override
 */
export function createDateOverride({ serviceId, dryRun, body }: {
    serviceId: number;
    dryRun?: boolean;
    body: CreateDateOverride;
}, opts?: RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: DateOverridePreview;
    } | {
        status: 201;
        data: DateOverride;
    }>(`/v1/services/${encodeURIComponent(serviceId)}/date-overrides${QS.query(QS.explode({
        dry_run: dryRun
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body
    }));
}
/**
 * List date overrides
 */
export function listDateOverrides({ serviceId, page, pageSize }: {
    serviceId: number;
    page?: number;
    pageSize?: number;
}, opts?: RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: DateOverrideList;
    }>(`/v1/services/${encodeURIComponent(serviceId)}/date-overrides${QS.query(QS.explode({
        page,
        page_size: pageSize
    }))}`, {
        ...opts
    });
}
/**
 * Delete a date override
 */
export function deleteDateOverride({ serviceId, overrideId }: {
    serviceId: number;
    overrideId: number;
}, opts?: RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: "ok";
    }>(`/v1/services/${encodeURIComponent(serviceId)}/date-overrides/${encodeURIComponent(overrideId)}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * Create a calendar feed
 */
export function createCalendarFeed({ serviceId, body }: {
    serviceId: number;
    body: CreateCalendarFeed;
}, opts?: RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: NewCalendarFeed;
    }>(`/v1/services/${encodeURIComponent(serviceId)}/calendar-feeds`, oazapfts.json({
        ...opts,
        method: "POST",
        body
    }));
}
/**
 * List calendar feeds
 */
export function listCalendarFeeds({ serviceId, page, pageSize }: {
    serviceId: number;
    page?: number;
    pageSize?: number;
}, opts?: RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: CalendarFeedList;
    }>(`/v1/services/${encodeURIComponent(serviceId)}/calendar-feeds${QS.query(QS.explode({
        page,
        page_size: pageSize
    }))}`, {
        ...opts
    });
}
/**
 * Delete a calendar feed
 */
export function deleteCalendarFeed({ serviceId, feedId }: {
    serviceId: number;
    feedId: number;
}, opts?: RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: "ok";
    }>(`/v1/services/${encodeURIComponent(serviceId)}/calendar-feeds/${encodeURIComponent(feedId)}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * Create a booking
 */
export function createBooking({ serviceId, ignoreRules, alternatives, idempotencyKey, body }: {
    serviceId?: number;
    ignoreRules?: boolean;
    alternatives?: number;
    idempotencyKey?: string;
    body: CreateBooking;
}, opts?: RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: Booking;
    }>(`/v1/bookings${QS.query(QS.explode({
        service_id: serviceId,
        ignore_rules: ignoreRules,
        alternatives
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "Idempotency-Key": idempotencyKey
        })
    }));
}
/**
 * List bookings
 */
export function listBookings({ serviceId, page, pageSize, sort, status, date, dateFrom, dateTo, timeSlotId, customerEmail, customerPhone, updatedSince }: {
    serviceId?: number;
    page: number;
    pageSize: number;
    sort?: "id" | "-id" | "starts_at" | "-starts_at" | "updated_at" | "-updated_at";
    status?: "pending" | "confirmed" | "cancelled";
    date?: string;
    dateFrom?: string;
    dateTo?: string;
    timeSlotId?: number;
    customerEmail?: string;
    customerPhone?: string;
    updatedSince?: string;
}, opts?: RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: BookingList;
    }>(`/v1/bookings${QS.query(QS.explode({
        service_id: serviceId,
        page,
        page_size: pageSize,
        sort,
        status,
        date,
        date_from: dateFrom,
        date_to: dateTo,
        time_slot_id: timeSlotId,
        customer_email: customerEmail,
        customer_phone: customerPhone,
        updated_since: updatedSince
    }))}`, {
        ...opts
    });
}
/**
 * Get a booking
 */
export function getBooking({ bookingId }: {
    bookingId: number;
}, opts?: RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Booking;
    }>(`/v1/bookings/${encodeURIComponent(bookingId)}`, {
        ...opts
    });
}
/**
 * Update, reschedule or cancel a booking
 */
export function updateBooking({ bookingId, ignoreRules, alternatives, ifMatch, body }: {
    bookingId: number;
    ignoreRules?: boolean;
    alternatives?: number;
    ifMatch?: string;
    body: UpdateBooking;
}, opts?: RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Booking;
    }>(`/v1/bookings/${encodeURIComponent(bookingId)}${QS.query(QS.explode({
        ignore_rules: ignoreRules,
        alternatives
    }))}`, oazapfts.json({
        ...opts,
        method: "PATCH",
        body,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-Match": ifMatch
        })
    }));
}
/**
 * Delete a booking
 */
export function deleteBooking({ bookingId, ifMatch }: {
    bookingId: number;
    ifMatch?: string;
}, opts?: RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: "ok";
    }>(`/v1/bookings/${encodeURIComponent(bookingId)}`, {
        ...opts,
        method: "DELETE",
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-Match": ifMatch
        })
    });
}
/**
 * Get the customer of a booking
 */
export function getBookingCustomer({ bookingId }: {
    bookingId: number;
}, opts?: RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Customer;
    }>(`/v1/bookings/${encodeURIComponent(bookingId)}/customer`, {
        ...opts
    });
}
/**
 * Update the customer of a booking
 */
export function updateBookingCustomer({ bookingId, ifMatch, body }: {
    bookingId: number;
    ifMatch?: string;
    body: UpdateCustomer;
}, opts?: RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Customer;
    }>(`/v1/bookings/${encodeURIComponent(bookingId)}/customer`, oazapfts.json({
        ...opts,
        method: "PATCH",
        body,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-Match": ifMatch
        })
    }));
}
/**
 * List customers
 */
export function listCustomers({ email, phone, page, pageSize }: {
    email?: string;
    phone?: string;
    page?: number;
    pageSize?: number;
}, opts?: RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: CustomerList;
    }>(`/v1/customers${QS.query(QS.explode({
        email,
        phone,
        page,
        page_size: pageSize
    }))}`, {
        ...opts
    });
}
/**
 * Export what is kept about a person
 */
export function exportCustomer({ email, phone, after }: {
    email?: string;
    phone?: string;
    after?: number;
}, opts?: RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: PersonExport;
    }>(`/v1/customers/export${QS.query(QS.explode({
        email,
        phone,
        after
    }))}`, {
        ...opts
    });
}
/**
 * Erase a person
 */
export function eraseCustomer({ body }: {
    body: {
        /** E-mail address, case-insensitive */
        email?: string;
        /** Phone number */
        phone?: string;
    };
}, opts?: RequestOpts) {
    return oazapfts.fetchJson<{
        status: 202;
        data: {
            bookings: number;
        };
    }>("/v1/customers/erase", oazapfts.json({
        ...opts,
        method: "POST",
        body
    }));
}
/**
 * List events
 */
export function listEvents({ after, limit, types, bookingId, wait }: {
    after?: number;
    limit?: number;
    types?: EventType[];
    bookingId?: number;
    wait?: number;
}, opts?: RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: EventList;
    }>(`/v1/events${QS.query(QS.explode({
        after,
        limit,
        booking_id: bookingId,
        wait
    }), QS.form({
        types
    }))}`, {
        ...opts
    });
}
/**
 * Create a webhook
 */
export function createWebhook({ idempotencyKey, body }: {
    idempotencyKey?: string;
    body: CreateWebhook;
}, opts?: RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: WebhookWithSecret;
    }>("/v1/webhooks", oazapfts.json({
        ...opts,
        method: "POST",
        body,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "Idempotency-Key": idempotencyKey
        })
    }));
}
/**
 * List webhooks
 */
export function listWebhooks({ page, pageSize }: {
    page?: number;
    pageSize?: number;
}, opts?: RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: WebhookList;
    }>(`/v1/webhooks${QS.query(QS.explode({
        page,
        page_size: pageSize
    }))}`, {
        ...opts
    });
}
/**
 * Get a webhook
 */
export function getWebhook({ webhookId }: {
    webhookId: number;
}, opts?: RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Webhook;
    }>(`/v1/webhooks/${encodeURIComponent(webhookId)}`, {
        ...opts
    });
}
/**
 * Update a webhook
 */
export function updateWebhook({ webhookId, ifMatch, body }: {
    webhookId: number;
    ifMatch?: string;
    body: UpdateWebhook;
}, opts?: RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Webhook;
    }>(`/v1/webhooks/${encodeURIComponent(webhookId)}`, oazapfts.json({
        ...opts,
        method: "PATCH",
        body,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-Match": ifMatch
        })
    }));
}
/**
 * Delete a webhook
 */
export function deleteWebhook({ webhookId, ifMatch }: {
    webhookId: number;
    ifMatch?: string;
}, opts?: RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: "ok";
    }>(`/v1/webhooks/${encodeURIComponent(webhookId)}`, {
        ...opts,
        method: "DELETE",
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-Match": ifMatch
        })
    });
}
/**
 * Rotate the secret of a webhook
 */
export function rotateWebhookSecret({ webhookId }: {
    webhookId: number;
}, opts?: RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: WebhookWithSecret;
    }>(`/v1/webhooks/${encodeURIComponent(webhookId)}/rotate-secret`, {
        ...opts,
        method: "POST"
    });
}
/**
 * Send a test to a webhook
 */
export function testWebhook({ webhookId }: {
    webhookId: number;
}, opts?: RequestOpts) {
    return oazapfts.fetchJson<{
        status: 202;
        data: Delivery;
    }>(`/v1/webhooks/${encodeURIComponent(webhookId)}/test`, {
        ...opts,
        method: "POST"
    });
}
/**
 * List the deliveries of a webhook
 */
export function listDeliveries({ webhookId, page, pageSize, status, eventType }: {
    webhookId: number;
    page?: number;
    pageSize?: number;
    status?: "pending" | "delivered" | "failed";
    eventType?: "booking.created" | "booking.confirmed" | "booking.cancelled" | "booking.updated" | "booking.deleted" | "customer.erased" | "webhook.test";
}, opts?: RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: DeliveryList;
    }>(`/v1/webhooks/${encodeURIComponent(webhookId)}/deliveries${QS.query(QS.explode({
        page,
        page_size: pageSize,
        status,
        event_type: eventType
    }))}`, {
        ...opts
    });
}
/**
 * Send a delivery again
 */
export function redeliver({ webhookId, deliveryId }: {
    webhookId: number;
    deliveryId: number;
}, opts?: RequestOpts) {
    return oazapfts.fetchJson<{
        status: 202;
        data: Delivery;
    }>(`/v1/webhooks/${encodeURIComponent(webhookId)}/deliveries/${encodeURIComponent(deliveryId)}/redeliver`, {
        ...opts,
        method: "POST"
    });
}
/**
 * Send again what failed
 */
export function recoverWebhook({ webhookId, body }: {
    webhookId: number;
    body: RecoverWebhook;
}, opts?: RequestOpts) {
    return oazapfts.fetchJson<{
        status: 202;
        data: "ok";
    }>(`/v1/webhooks/${encodeURIComponent(webhookId)}/recover`, oazapfts.json({
        ...opts,
        method: "POST",
        body
    }));
}
/**
 * Get the usage of this month
 */
export function getUsage(_: object, opts?: RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Usage;
    }>("/v1/usage", {
        ...opts
    });
}

/** Codes of errors that there were when this was made; others may come. */
export type ErrorCode = 
    | "invalid_request"
    | "malformed_json"
    | "cancel_reason_required"
    | "time_slot_full"
    | "closed"
    | "notice"
    | "horizon"
    | "hold_expired"
    | "duplicate_booking"
    | "missing_api_key"
    | "invalid_api_key"
    | "insufficient_scope"
    | "account_suspended"
    | "not_found"
    | "service_not_found"
    | "time_slot_not_found"
    | "booking_not_found"
    | "date_override_not_found"
    | "calendar_feed_not_found"
    | "webhook_not_found"
    | "delivery_not_found"
    | "method_not_allowed"
    | "request_timeout"
    | "version_conflict"
    | "request_in_progress"
    | "webhook_disabled"
    | "events_expired"
    | "version_mismatch"
    | "body_too_large"
    | "unsupported_media_type"
    | "unprocessable"
    | "idempotency_key_reused"
    | "services_limit_reached"
    | "date_overrides_limit_reached"
    | "calendar_feeds_limit_reached"
    | "webhooks_limit_reached"
    | "webhooks_per_url_reached"
    | "calendar_feed_rate_limit_exceeded"
    | "booking_rate_limit_exceeded"
    | "rate_limit_exceeded"
    | "headers_too_large"
    | "internal_error"
    | "service_unavailable"
    | "gateway_timeout";
/** Likewise, of faults of single fields. */
export type FaultCode = 
    | "required"
    | "unknown"
    | "repeated"
    | "wrong_type"
    | "wrong_format"
    | "wrong_length"
    | "out_of_range"
    | "not_one_of"
    | "not_allowed"
    | "read_only"
    | "contradiction"
    | "wrong_weekday"
    | "outside_validity"
    | "unknown_time_zone";
/** What takes an Idempotency-Key, and so can be sent again until an answer comes. */
export const keyed: readonly string[] = ["createService","createBooking","createWebhook"];
