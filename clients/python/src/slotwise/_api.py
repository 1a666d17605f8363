# Made from the OpenAPI document by `npm run generate:clients`; do not edit.
from __future__ import annotations

from typing import Any, Callable, Dict, Iterator, List, Literal, Mapping, Optional, TypedDict, Union, overload
from urllib.parse import quote

from ._keys import new_key

__all__ = [
    "Alternative",
    "Availability",
    "AvailabilityEntry",
    "Booking",
    "BookingEvent",
    "BookingEventType",
    "BookingList",
    "BookingStatus",
    "BookingTimeSlot",
    "CalendarFeed",
    "CalendarFeedList",
    "CreateBooking",
    "CreateCalendarFeed",
    "CreateDateOverride",
    "CreateService",
    "CreateServiceRules",
    "CreateWebhook",
    "Customer",
    "CustomerErased",
    "CustomerErasedData",
    "CustomerErasedPrevious",
    "CustomerList",
    "DateOverride",
    "DateOverrideList",
    "DateOverridePreview",
    "Delivery",
    "DeliveryAttempt",
    "DeliveryList",
    "DeliveryStatus",
    "DirectoryCustomer",
    "EraseCustomerBody",
    "EraseCustomerResult",
    "ErrorCode",
    "Event",
    "EventList",
    "EventType",
    "Fault",
    "FaultCode",
    "Impact",
    "ImpactOutOfStep",
    "ImpactOutOfStepItems",
    "ImpactOverCapacity",
    "ImpactOverCapacityItems",
    "ImpactRetired",
    "ImpactRetiredItems",
    "NewCalendarFeed",
    "Package",
    "Pagination",
    "PersonExport",
    "PersonExportEvents",
    "PersonExportEventsDeliveries",
    "PersonExportFirstAnswers",
    "Previous",
    "PreviousCustomer",
    "PreviousTimeSlot",
    "Provider",
    "RecoverWebhook",
    "ReplaceSchedule",
    "ReplaceScheduleRules",
    "Role",
    "Rules",
    "Schedule",
    "SchedulePreview",
    "SchedulePreviewTimeSlots",
    "ScheduledSlot",
    "Service",
    "ServiceAvailabilityEntry",
    "ServiceList",
    "ServicePreview",
    "ServicesAvailability",
    "TimeSlot",
    "TimeSlotChange",
    "TimeSlotInput",
    "TimeSlotList",
    "TimeSlotsPreview",
    "UpdateBooking",
    "UpdateCustomer",
    "UpdateService",
    "UpdateServiceRules",
    "UpdateTimeSlots",
    "UpdateWebhook",
    "UpdatedTimeSlots",
    "Usage",
    "UsageBookings",
    "UsageRequests",
    "UsageServices",
    "Webhook",
    "WebhookList",
    "WebhookMissed",
    "WebhookWithSecret",
    "WebhookWithSecretMissed",
]


class _CreateService(TypedDict):
    # Name, at most 72 characters
    name: str
    # IANA name
    timezone: str


class CreateService(_CreateService, total=False):
    # At most 255 characters
    description: Optional[str]
    rules: CreateServiceRules
    # Texts of your own by keys of your own: at most 50 keys of 1 to 40 characters, without a `.` and a leading `$`, each with at most 500 characters, and 4 KiB together
    metadata: Dict[str, str]
    # At most 500
    time_slots: Optional[List[TimeSlotInput]]


class CreateServiceRules(TypedDict, total=False):
    # Minutes before its start until which a time slot can be booked; 0: until it begins; null: for ever
    min_notice_minutes: Optional[int]
    # Days in advance, from today by the service's clocks; null: any number
    max_advance_days: Optional[int]


class _TimeSlotInput(TypedDict):
    # 0 is Sunday
    day_of_week: int
    # Start, wall-clock time in the service's time zone
    start_time: str
    # End, wall-clock time in the service's time zone; after the start
    end_time: str
    # Bookings that the slot takes on one date
    max_bookings: int


class TimeSlotInput(_TimeSlotInput, total=False):
    # First date on which it can be booked; null: any
    valid_from: Optional[str]
    # Last date on which it can be booked; null: any
    valid_until: Optional[str]


class Service(TypedDict):
    # Service
    id: int
    # Name, at most 72 characters
    name: str
    # At most 255 characters
    description: Optional[str]
    # IANA name
    timezone: str
    rules: Rules
    # Texts of your own by keys of your own: at most 50 keys of 1 to 40 characters, without a `.` and a leading `$`, each with at most 500 characters, and 4 KiB together
    metadata: Dict[str, str]
    # Bookings that are not cancelled
    bookings_count: int
    provider: Provider
    provider_id: str
    # Grows by 1 with each change
    version: int
    # When it was made
    created_at: str
    # When it was last changed
    updated_at: str


class Rules(TypedDict):
    # Minutes before its start until which a time slot can be booked; 0: until it begins; null: for ever
    min_notice_minutes: Optional[int]
    # Days in advance, from today by the service's clocks; null: any number
    max_advance_days: Optional[int]


class Provider(TypedDict):
    id: str
    name: str
    email: Optional[str]
    phone: Optional[str]
    avatar: Optional[str]
    is_verified: bool
    role_id: int
    role: Role
    package_id: int
    package: Package
    payment_customer_id: Optional[str]
    subscription_status: Literal["trialing", "active", "past_due", "canceled"]
    # When the account was made
    created_at: str
    # When the account was last changed
    updated_at: str


class Role(TypedDict):
    id: int
    name: str
    description: str
    # Grows with power
    level: int


class Package(TypedDict):
    id: int
    name: str
    # Bookings a UTC month; null: no limit
    bookings_per_month: Optional[int]
    # Requests a UTC month; null: no limit
    requests_per_month: Optional[int]
    # Sustained requests a second; null: no limit
    rate_limit_per_second: Optional[int]
    # Services; null: no limit
    services_limit: Optional[int]
    overages_enabled: bool
    # Price of one booking over the plan, in the currency's minor unit
    overage_price_amount: int
    # Price of the plan, in the currency's minor unit
    price_amount: int
    # ISO 4217, lower case
    price_currency: str
    price_interval: Literal["month", "year"]
    payment_overage_price_id: Optional[str]
    payment_price_id: Optional[str]
    # When the package was made
    created_at: str
    # When the package was last changed
    updated_at: str


class ServiceList(TypedDict):
    services: List[Service]
    pagination: Pagination


class Pagination(TypedDict):
    page: int
    page_size: int
    total_items: int
    total_pages: int
    current_page: int
    total_count: int


class UpdateService(TypedDict, total=False):
    # Name, at most 72 characters
    name: str
    # At most 255 characters
    description: Optional[str]
    # IANA name
    timezone: str
    rules: UpdateServiceRules
    # Keys to set, each with its text; `null` removes a key, and what is not named stays
    metadata: Dict[str, Optional[str]]
    # Must be the current one: 409
    version: int


class UpdateServiceRules(TypedDict, total=False):
    # Minutes before its start until which a time slot can be booked; 0: until it begins; null: for ever
    min_notice_minutes: Optional[int]
    # Days in advance, from today by the service's clocks; null: any number
    max_advance_days: Optional[int]


class ServicePreview(TypedDict):
    # Service
    id: int
    # Name, at most 72 characters
    name: str
    # At most 255 characters
    description: Optional[str]
    # IANA name
    timezone: str
    rules: Rules
    # Texts of your own by keys of your own: at most 50 keys of 1 to 40 characters, without a `.` and a leading `$`, each with at most 500 characters, and 4 KiB together
    metadata: Dict[str, str]
    # Bookings that are not cancelled
    bookings_count: int
    provider: Provider
    provider_id: str
    # Grows by 1 with each change
    version: int
    # When it was made
    created_at: str
    # When it was last changed
    updated_at: str
    impact: Impact


class Impact(TypedDict):
    # Time slots and dates with more bookings than their maximum would be
    over_capacity: ImpactOverCapacity
    # Bookings of time slots that would go
    retired: ImpactRetired
    # Bookings whose promised moments would not be those of the schedule
    out_of_step: ImpactOutOfStep


class ImpactOverCapacity(TypedDict):
    # How many there would be
    total: int
    # The first 100, by date, then time slot
    items: List[ImpactOverCapacityItems]


class ImpactOverCapacityItems(TypedDict):
    # Time slot
    time_slot_id: int
    # Date
    date: str
    # Bookings that hold a place
    booked: int
    # The maximum on that date
    max_bookings: int


class ImpactRetired(TypedDict):
    # How many there would be
    total: int
    # The first 100, by date, then time slot
    items: List[ImpactRetiredItems]


class ImpactRetiredItems(TypedDict):
    # Booking
    booking_id: int
    # Time slot
    time_slot_id: int
    # Date
    date: str
    # The start that was promised, ISO 8601 with the service's offset on that date
    starts_at: str
    # The end that was promised, ISO 8601 with the service's offset on that date
    ends_at: str


class ImpactOutOfStep(TypedDict):
    # How many there would be
    total: int
    # The first 100, by date, then time slot
    items: List[ImpactOutOfStepItems]


class ImpactOutOfStepItems(TypedDict):
    # Booking
    booking_id: int
    # Time slot
    time_slot_id: int
    # Date
    date: str
    # The start that was promised, ISO 8601 with the service's offset on that date
    starts_at: str
    # The end that was promised, ISO 8601 with the service's offset on that date
    ends_at: str
    # The start by the schedule, ISO 8601; null: the time slot would not be on that date
    scheduled_starts_at: Optional[str]
    # The end by the schedule, ISO 8601; null: the time slot would not be on that date
    scheduled_ends_at: Optional[str]


class TimeSlot(TypedDict):
    # Time slot
    id: int
    # Service
    service_id: int
    # 0 is Sunday
    day_of_week: int
    # Start, wall-clock time in the service's time zone
    start_time: str
    # End, wall-clock time in the service's time zone; after the start
    end_time: str
    # Bookings that the slot takes on one date
    max_bookings: int
    # First date on which it can be booked; null: any
    valid_from: Optional[str]
    # Last date on which it can be booked; null: any
    valid_until: Optional[str]
    # When it was made
    created_at: str
    # When it was last changed
    updated_at: str


class TimeSlotList(TypedDict):
    time_slots: List[TimeSlot]
    pagination: Pagination


class UpdateTimeSlots(TypedDict):
    time_slots: List[TimeSlotChange]


class _TimeSlotChange(TypedDict):
    # Time slot to change
    id: int


class TimeSlotChange(_TimeSlotChange, total=False):
    # 0 is Sunday
    day_of_week: int
    # Start, wall-clock time in the service's time zone
    start_time: str
    # End, wall-clock time in the service's time zone; after the start
    end_time: str
    # Bookings that the slot takes on one date
    max_bookings: int
    # First date on which it can be booked; null: any
    valid_from: Optional[str]
    # Last date on which it can be booked; null: any
    valid_until: Optional[str]


class TimeSlotsPreview(TypedDict):
    time_slots: List[TimeSlot]
    impact: Impact


class UpdatedTimeSlots(TypedDict):
    time_slots: List[TimeSlot]


class Availability(TypedDict):
    availability: List[AvailabilityEntry]


class AvailabilityEntry(TypedDict):
    # Date
    date: str
    # Time slot
    time_slot_id: int
    # Start, ISO 8601 with the service's offset on that date
    starts_at: str
    # End, ISO 8601 with the service's offset on that date
    ends_at: str
    max_bookings: int
    # The date override that the maximum is of; null: it is the slot’s own
    override_id: Optional[int]
    # Bookings that hold a place
    booked: int
    remaining: int
    bookable: bool
    # Why it is not bookable: too late or too early by the rules of the service, `closed` where the maximum is 0, or full
    reason: Optional[Literal["full", "closed", "notice", "horizon"]]


class ServicesAvailability(TypedDict):
    availability: List[ServiceAvailabilityEntry]


class ServiceAvailabilityEntry(TypedDict):
    # Service
    service_id: int
    # Date
    date: str
    # Time slot
    time_slot_id: int
    # Start, ISO 8601 with the service's offset on that date
    starts_at: str
    # End, ISO 8601 with the service's offset on that date
    ends_at: str
    max_bookings: int
    # The date override that the maximum is of; null: it is the slot’s own
    override_id: Optional[int]
    # Bookings that hold a place
    booked: int
    remaining: int
    bookable: bool
    # Why it is not bookable: too late or too early by the rules of the service, `closed` where the maximum is 0, or full
    reason: Optional[Literal["full", "closed", "notice", "horizon"]]


class Schedule(TypedDict):
    # IANA name
    timezone: str
    # By id
    time_slots: List[TimeSlot]
    rules: Rules
    # Grows by 1 with each change
    version: int


class _ReplaceSchedule(TypedDict):
    # IANA name
    timezone: str
    # Time slots of the service that are left out are retired
    time_slots: List[ScheduledSlot]


class ReplaceSchedule(_ReplaceSchedule, total=False):
    # Those that are left out are null
    rules: Optional[ReplaceScheduleRules]
    # Must be the current one: 409
    version: int


class _ScheduledSlot(TypedDict):
    # 0 is Sunday
    day_of_week: int
    # Start, wall-clock time in the service's time zone
    start_time: str
    # End, wall-clock time in the service's time zone; after the start
    end_time: str
    # Bookings that the slot takes on one date
    max_bookings: int


class ScheduledSlot(_ScheduledSlot, total=False):
    # Time slot that stays; left out: a new one
    id: int
    # First date on which it can be booked; null: any
    valid_from: Optional[str]
    # Last date on which it can be booked; null: any
    valid_until: Optional[str]


class ReplaceScheduleRules(TypedDict, total=False):
    # Minutes before its start until which a time slot can be booked; 0: until it begins; null: for ever
    min_notice_minutes: Optional[int]
    # Days in advance, from today by the service's clocks; null: any number
    max_advance_days: Optional[int]


class SchedulePreview(TypedDict):
    # IANA name
    timezone: str
    # Those that stay by id, then new ones
    time_slots: List[SchedulePreviewTimeSlots]
    rules: Rules
    # Grows by 1 with each change
    version: int
    impact: Impact


class SchedulePreviewTimeSlots(TypedDict):
    # null: it is not there, for nothing was made
    id: Optional[int]
    # Service
    service_id: int
    # 0 is Sunday
    day_of_week: int
    # Start, wall-clock time in the service's time zone
    start_time: str
    # End, wall-clock time in the service's time zone; after the start
    end_time: str
    # Bookings that the slot takes on one date
    max_bookings: int
    # First date on which it can be booked; null: any
    valid_from: Optional[str]
    # Last date on which it can be booked; null: any
    valid_until: Optional[str]
    # When it was made
    created_at: str
    # When it was last changed
    updated_at: str


class _CreateDateOverride(TypedDict):
    # First date
    date_from: str
    # Last date, at most 366 days in all
    date_to: str
    # On these dates in place of the time slot's own; 0 closes
    max_bookings: int


class CreateDateOverride(_CreateDateOverride, total=False):
    # Only this time slot of the service; null: all of them
    time_slot_id: Optional[int]
    # At most 255 characters
    reason: Optional[str]


class DateOverridePreview(TypedDict):
    # There is none: nothing was made
    id: None
    # First date
    date_from: str
    # Last date, at most 366 days in all
    date_to: str
    # Only this time slot of the service; null: all of them
    time_slot_id: Optional[int]
    # On these dates in place of the time slot's own; 0 closes
    max_bookings: int
    # At most 255 characters
    reason: Optional[str]
    impact: Impact


class DateOverride(TypedDict):
    # Date override
    id: int
    # First date
    date_from: str
    # Last date, at most 366 days in all
    date_to: str
    # Only this time slot of the service; null: all of them
    time_slot_id: Optional[int]
    # On these dates in place of the time slot's own; 0 closes
    max_bookings: int
    # At most 255 characters
    reason: Optional[str]


class DateOverrideList(TypedDict):
    date_overrides: List[DateOverride]
    pagination: Pagination


class CreateCalendarFeed(TypedDict, total=False):
    # false if left out
    include_customers: Optional[bool]


class NewCalendarFeed(TypedDict):
    # Calendar feed
    id: int
    # Service
    service_id: int
    # Whether it tells the customers' names, addresses and numbers
    include_customers: bool
    # When it was made
    created_at: str
    # Where it is read, on the host of the API, without a key. Shown this once
    address: str


class CalendarFeedList(TypedDict):
    calendar_feeds: List[CalendarFeed]
    pagination: Pagination


class CalendarFeed(TypedDict):
    # Calendar feed
    id: int
    # Service
    service_id: int
    # Whether it tells the customers' names, addresses and numbers
    include_customers: bool
    # When it was made
    created_at: str


class _CreateBooking(TypedDict):
    # A date that falls on the slot's day of the week
    date: str
    # Time slot
    time_slot_id: int


class CreateBooking(_CreateBooking, total=False):
    service_id: Optional[int]
    # At most 255 characters, at least one of them visible
    customer_name: Optional[str]
    customer_email: Optional[str]
    customer_phone: Optional[str]
    # Notes, at most 1000 characters
    message: Optional[str]
    # Texts of your own by keys of your own: at most 50 keys of 1 to 40 characters, without a `.` and a leading `$`, each with at most 500 characters, and 4 KiB together
    metadata: Dict[str, str]
    # Minutes from now at which the booking is cancelled, unless it is confirmed: 1 to 10080
    hold_minutes: Optional[int]


class _Booking(TypedDict):
    # Booking
    id: int
    # Service
    service_id: int
    # Date of the booking
    date: str
    # Time slot
    time_slot_id: int
    # Start, as it was promised when the booking took its place, ISO 8601 with the service's offset on that date
    starts_at: str
    # End, likewise, ISO 8601 with the service's offset on that date
    ends_at: str
    # The service's, likewise
    timezone: str
    status: BookingStatus
    # When its hold ends, or ended where it expired; null where it has none
    expires_at: Optional[str]
    # Notes, at most 1000 characters
    message: Optional[str]
    # Texts of your own by keys of your own: at most 50 keys of 1 to 40 characters, without a `.` and a leading `$`, each with at most 500 characters, and 4 KiB together
    metadata: Dict[str, str]
    customer: Customer
    # Customer
    customer_id: int
    # As it was when the booking took its place
    time_slot: BookingTimeSlot
    # The account
    user_id: str
    # Grows by 1 with each change
    version: int
    # When it was made
    created_at: str
    # When it was last changed
    updated_at: str


class Booking(_Booking, total=False):
    # 1 to 1000 characters
    cancel_reason: str


class Customer(TypedDict):
    # Customer
    id: int
    # At most 255 characters, at least one of them visible
    name: Optional[str]
    email: Optional[str]
    phone: Optional[str]
    # When it was made
    created_at: str
    # When it was last changed
    updated_at: str


class BookingTimeSlot(TypedDict):
    # Time slot
    id: int
    # Service
    service_id: int
    # 0 is Sunday
    day_of_week: int
    # Start, wall-clock time in the service's time zone
    start_time: str
    # End, wall-clock time in the service's time zone; after the start
    end_time: str
    # Bookings that the slot takes on one date
    max_bookings: int
    # First date on which it can be booked; null: any
    valid_from: Optional[str]
    # Last date on which it can be booked; null: any
    valid_until: Optional[str]
    # When it was made
    created_at: str
    # When it was last changed
    updated_at: str


class BookingList(TypedDict):
    bookings: List[Booking]
    pagination: Pagination


class UpdateBooking(TypedDict, total=False):
    # Moves the booking
    date: str
    # Moves the booking to this slot of the account, with `date` or on its own; `service_id` follows
    time_slot_id: int
    status: Literal["pending", "confirmed", "cancelled"]
    # Required when the status becomes `cancelled`
    cancel_reason: Optional[str]
    # Notes, at most 1000 characters
    message: Optional[str]
    # Keys to set, each with its text; `null` removes a key, and what is not named stays
    metadata: Dict[str, Optional[str]]
    # Minutes from now at which the booking is cancelled, unless it is confirmed: 1 to 10080
    hold_minutes: Optional[int]
    # Must be the current one: 409
    version: int


class UpdateCustomer(TypedDict, total=False):
    # At most 255 characters, at least one of them visible
    name: Optional[str]
    email: Optional[str]
    phone: Optional[str]


class CustomerList(TypedDict):
    customers: List[DirectoryCustomer]
    pagination: Pagination


class DirectoryCustomer(TypedDict):
    # Customer
    id: int
    # At most 255 characters, at least one of them visible
    name: Optional[str]
    email: Optional[str]
    phone: Optional[str]
    # Booking
    booking_id: int
    # Service
    service_id: int
    # Date of the booking
    date: str
    status: BookingStatus


class PersonExport(TypedDict):
    email: Optional[str]
    phone: Optional[str]
    # When it was read
    exported_at: str
    # Those that are for this person, by id
    bookings: List[Booking]
    # What an Idempotency-Key still answers that tells of this person
    first_answers: List[PersonExportFirstAnswers]
    # Events that tell of this person, also of bookings that were deleted or are for somebody else now
    events: List[PersonExportEvents]
    # Whether there is more about bookings with higher ids
    has_more: bool
    # The `after` to go on with
    next_after: int


class PersonExportFirstAnswers(TypedDict):
    # When it is 24 h old
    kept_until: str
    answer: Booking


class PersonExportEvents(TypedDict):
    event: BookingEvent
    # To which webhooks it was or will be sent
    deliveries: List[PersonExportEventsDeliveries]


class BookingEvent(TypedDict):
    # `evt_<booking>_<version>`, the same on every delivery
    id: str
    type: BookingEventType
    # When the change happened
    timestamp: str
    # Without a gap per account
    sequence: int
    data: Booking
    previous: Previous


class Previous(TypedDict, total=False):
    # Booking
    id: int
    # Service
    service_id: int
    # Date of the booking
    date: str
    # Time slot
    time_slot_id: int
    # Start, as it was promised when the booking took its place, ISO 8601 with the service's offset on that date
    starts_at: str
    # End, likewise, ISO 8601 with the service's offset on that date
    ends_at: str
    # The service's, likewise
    timezone: str
    status: Literal["pending", "confirmed", "cancelled"]
    cancel_reason: Optional[str]
    # When its hold ends, or ended where it expired; null where it has none
    expires_at: Optional[str]
    # Notes, at most 1000 characters
    message: Optional[str]
    # Texts of your own by keys of your own: at most 50 keys of 1 to 40 characters, without a `.` and a leading `$`, each with at most 500 characters, and 4 KiB together
    metadata: Dict[str, str]
    customer: PreviousCustomer
    # Customer
    customer_id: int
    # As it was when the booking took its place
    time_slot: PreviousTimeSlot
    # The account
    user_id: str
    # When it was made
    created_at: str


class PreviousCustomer(TypedDict):
    # Customer
    id: int
    # At most 255 characters, at least one of them visible
    name: Optional[str]
    email: Optional[str]
    phone: Optional[str]
    # When it was made
    created_at: str
    # When it was last changed
    updated_at: str


class PreviousTimeSlot(TypedDict):
    # Time slot
    id: int
    # Service
    service_id: int
    # 0 is Sunday
    day_of_week: int
    # Start, wall-clock time in the service's time zone
    start_time: str
    # End, wall-clock time in the service's time zone; after the start
    end_time: str
    # Bookings that the slot takes on one date
    max_bookings: int
    # First date on which it can be booked; null: any
    valid_from: Optional[str]
    # Last date on which it can be booked; null: any
    valid_until: Optional[str]
    # When it was made
    created_at: str
    # When it was last changed
    updated_at: str


class PersonExportEventsDeliveries(TypedDict):
    # Delivery
    delivery_id: int
    # Webhook
    webhook_id: int
    # `pending`, `delivered` or `failed`
    status: str


class EraseCustomerBody(TypedDict, total=False):
    # E-mail address, case-insensitive
    email: str
    # Phone number
    phone: str


class EraseCustomerResult(TypedDict):
    bookings: int


class EventList(TypedDict):
    events: List[Event]
    has_more: bool
    # The `after` to go on with. Nothing that was asked for lies between; it moves on also where no event was of `types` or `booking_id`
    next_after: int


class CustomerErased(TypedDict):
    # The same on every delivery
    id: str
    type: Literal["customer.erased"]
    # When it was asked for
    timestamp: str
    # Without a gap per account
    sequence: int
    data: CustomerErasedData
    previous: CustomerErasedPrevious


class CustomerErasedData(TypedDict):
    # Those that were, or had been, for the person, at most 1,000: further ones have events of their own
    booking_ids: List[int]


class CustomerErasedPrevious(TypedDict):
    pass


class _CreateWebhook(TypedDict):
    # Where events are posted to: https, at a public address
    url: str


class CreateWebhook(_CreateWebhook, total=False):
    # Types of events that are sent; `["*"]`, all, if left out
    events: Optional[List[Literal["booking.created", "booking.confirmed", "booking.cancelled", "booking.updated", "booking.deleted", "customer.erased", "*"]]]
    # At most 255 characters
    description: Optional[str]
    # true if left out
    enabled: Optional[bool]


class WebhookWithSecret(TypedDict):
    # Webhook
    id: int
    # Where events are posted to: https, at a public address
    url: str
    # Types of events that are sent; `["*"]` for all, also for those that will be added
    events: List[Literal["booking.created", "booking.confirmed", "booking.cancelled", "booking.updated", "booking.deleted", "customer.erased", "*"]]
    # At most 255 characters
    description: Optional[str]
    # Nothing is sent and nothing is queued while it is false
    enabled: bool
    # `requested`: by a client · `gone`: the endpoint answered 410 · `failing`: every attempt of five days failed · null: it is enabled
    disabled_reason: Optional[Literal["requested", "gone", "failing"]]
    disabled_at: Optional[str]
    failing_since: Optional[str]
    # Events that were no longer kept when their turn came, and so were not sent: read the bookings anew. null: there are none since it was enabled
    missed: Optional[WebhookWithSecretMissed]
    # Grows by 1 with each change
    version: int
    # When it was made
    created_at: str
    # When it was last changed
    updated_at: str
    # Signs the deliveries, by Standard Webhooks 1.0. Shown this once
    secret: str


class WebhookWithSecretMissed(TypedDict):
    # Sequence of the first of them
    first: int
    # Sequence of the last of them
    last: int


class WebhookList(TypedDict):
    webhooks: List[Webhook]
    pagination: Pagination


class Webhook(TypedDict):
    # Webhook
    id: int
    # Where events are posted to: https, at a public address
    url: str
    # Types of events that are sent; `["*"]` for all, also for those that will be added
    events: List[Literal["booking.created", "booking.confirmed", "booking.cancelled", "booking.updated", "booking.deleted", "customer.erased", "*"]]
    # At most 255 characters
    description: Optional[str]
    # Nothing is sent and nothing is queued while it is false
    enabled: bool
    # `requested`: by a client · `gone`: the endpoint answered 410 · `failing`: every attempt of five days failed · null: it is enabled
    disabled_reason: Optional[Literal["requested", "gone", "failing"]]
    disabled_at: Optional[str]
    failing_since: Optional[str]
    # Events that were no longer kept when their turn came, and so were not sent: read the bookings anew. null: there are none since it was enabled
    missed: Optional[WebhookMissed]
    # Grows by 1 with each change
    version: int
    # When it was made
    created_at: str
    # When it was last changed
    updated_at: str


class WebhookMissed(TypedDict):
    # Sequence of the first of them
    first: int
    # Sequence of the last of them
    last: int


class UpdateWebhook(TypedDict, total=False):
    # Where events are posted to: https, at a public address
    url: str
    # Types of events that are sent; `["*"]` for all, also for those that will be added
    events: List[Literal["booking.created", "booking.confirmed", "booking.cancelled", "booking.updated", "booking.deleted", "customer.erased", "*"]]
    # At most 255 characters
    description: Optional[str]
    # Nothing is sent and nothing is queued while it is false
    enabled: bool
    # Must be the current one: 409
    version: int


class Delivery(TypedDict):
    # Delivery
    id: int
    # Webhook
    webhook_id: int
    # Sent as `webhook-id`, the same in every attempt
    event_id: str
    event_type: Literal["booking.created", "booking.confirmed", "booking.cancelled", "booking.updated", "booking.deleted", "customer.erased", "webhook.test"]
    # Of the event; null for a test
    sequence: Optional[int]
    status: DeliveryStatus
    # The last 20, oldest first
    attempts: List[DeliveryAttempt]
    next_attempt_at: Optional[str]
    # When it was queued
    created_at: str


class DeliveryAttempt(TypedDict):
    # When it began
    at: str
    # ms
    duration: int
    # HTTP status of the answer; null where there was none
    status: Optional[int]
    # Why there is no complete answer; null where there is one
    error: Optional[str]


class DeliveryList(TypedDict):
    deliveries: List[Delivery]
    pagination: Pagination


class RecoverWebhook(TypedDict):
    # Deliveries that failed then or later are sent again
    since: str


class Usage(TypedDict):
    # The month, in UTC
    month: str
    # When the month ends, and its counts begin anew
    resets_at: str
    # Name of the plan as it is now
    package: str
    # Whether more than the monthly limits is served
    overages_enabled: bool
    requests: UsageRequests
    bookings: UsageBookings
    services: UsageServices
    # What the key of this request may do
    scopes: List[Literal["read", "write"]]


class UsageRequests(TypedDict):
    # Requests that were let through of the month so far
    used: int
    # What the plan includes a month; null: no limit
    limit: Optional[int]
    # What is left of it; null: no limit
    remaining: Optional[int]
    # What was used beyond the limit; 0 where the plan has no overages
    overage: int
    # What will have been used when the month ends, if it goes on as it went since the month began, or since the account was made where that is later. No limit is applied to it. null within the first day of that time
    projected: Optional[int]


class UsageBookings(TypedDict):
    # Bookings made, also those that were cancelled or deleted since of the month so far
    used: int
    # What the plan includes a month; null: no limit
    limit: Optional[int]
    # What is left of it; null: no limit
    remaining: Optional[int]
    # What was used beyond the limit; 0 where the plan has no overages
    overage: int
    # What will have been used when the month ends, if it goes on as it went since the month began, or since the account was made where that is later. No limit is applied to it. null within the first day of that time
    projected: Optional[int]


class UsageServices(TypedDict):
    # Services that there are now
    used: int
    # Services that the plan allows; null: no limit
    limit: Optional[int]
    # What is left of it; null: no limit
    remaining: Optional[int]


class Fault(TypedDict):
    # Such as `time_slots[3].end_time`; a header by its name; `body` or `query` where it is all of it
    field: str
    # `required`, `unknown`, `repeated`, `wrong_type`, `wrong_format`, `wrong_length`, `out_of_range`, `not_one_of`, `not_allowed`, `read_only`, `contradiction`, `wrong_weekday`, `outside_validity`, `unknown_time_zone`. Lower-case words, joined by `_`. Codes are added, so expect others; they are never renamed.
    code: str
    # What would be right, to be read after the field
    message: str


class Alternative(TypedDict):
    # Service
    service_id: int
    # Time slot
    time_slot_id: int
    # Date
    date: str
    # Start, ISO 8601 with the service's offset on that date
    starts_at: str
    # End, ISO 8601 with the service's offset on that date
    ends_at: str
    remaining: int

BookingStatus = Literal["pending", "confirmed", "cancelled"]
BookingEventType = Literal["booking.created", "booking.confirmed", "booking.cancelled", "booking.updated", "booking.deleted"]
EventType = Literal["booking.created", "booking.confirmed", "booking.cancelled", "booking.updated", "booking.deleted", "customer.erased"]
Event = Union[BookingEvent, CustomerErased]
DeliveryStatus = Literal["pending", "delivered", "failed"]

# Codes of errors that there were when this was made; others may come.
ErrorCode = Literal[
    "invalid_request",
    "malformed_json",
    "cancel_reason_required",
    "time_slot_full",
    "closed",
    "notice",
    "horizon",
    "hold_expired",
    "duplicate_booking",
    "missing_api_key",
    "invalid_api_key",
    "insufficient_scope",
    "account_suspended",
    "not_found",
    "service_not_found",
    "time_slot_not_found",
    "booking_not_found",
    "date_override_not_found",
    "calendar_feed_not_found",
    "webhook_not_found",
    "delivery_not_found",
    "method_not_allowed",
    "request_timeout",
    "version_conflict",
    "request_in_progress",
    "webhook_disabled",
    "events_expired",
    "version_mismatch",
    "body_too_large",
    "unsupported_media_type",
    "unprocessable",
    "idempotency_key_reused",
    "services_limit_reached",
    "date_overrides_limit_reached",
    "calendar_feeds_limit_reached",
    "webhooks_limit_reached",
    "webhooks_per_url_reached",
    "calendar_feed_rate_limit_exceeded",
    "booking_rate_limit_exceeded",
    "rate_limit_exceeded",
    "headers_too_large",
    "internal_error",
    "service_unavailable",
    "gateway_timeout",
]

# Likewise, of faults of single fields.
FaultCode = Literal[
    "required",
    "unknown",
    "repeated",
    "wrong_type",
    "wrong_format",
    "wrong_length",
    "out_of_range",
    "not_one_of",
    "not_allowed",
    "read_only",
    "contradiction",
    "wrong_weekday",
    "outside_validity",
    "unknown_time_zone",
]


class Operations:
    """A method for each operation of the reference, and one that iterates over each list."""

    def _call(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] = {},
        headers: Mapping[str, Optional[str]] = {},
        body: Any = None,
    ) -> Any:
        raise NotImplementedError

    def _rows(self, name: str, read: Callable[[int], Any]) -> Iterator[Any]:
        raise NotImplementedError

    def create_service(
        self,
        *,
        body: CreateService,
        idempotency_key: Optional[str] = None,
    ) -> Service:
        """Create a service."""
        data: Service = self._call(
            "POST",
            "/v1/services",
            headers={"Idempotency-Key": idempotency_key or new_key()},
            body=body,
        )
        return data

    def list_services(
        self,
        *,
        page: Optional[int] = None,
        page_size: Optional[int] = None,
    ) -> ServiceList:
        """List services.

        :param page: Page, from 1
        :param page_size: Rows a page, 1 to 1000
        """
        data: ServiceList = self._call(
            "GET",
            "/v1/services",
            query={
                "page": page,
                "page_size": page_size,
            },
        )
        return data

    def iter_services(
        self,
        *,
        page_size: int = 100,
    ) -> Iterator[Service]:
        """List services: every row, page by page.

        :param page_size: Rows a page, 1 to 1000
        """
        return self._rows("services", lambda page: self.list_services(page=page, page_size=page_size))

    def get_service(
        self,
        service_id: int,
    ) -> Service:
        """Get a service.

        :param service_id: Service
        """
        data: Service = self._call(
            "GET",
            f"/v1/services/{quote(str(service_id), safe='')}",
        )
        return data

    @overload
    def update_service(
        self,
        service_id: int,
        *,
        body: UpdateService,
        dry_run: Literal[True],
        if_match: Optional[str] = None,
    ) -> ServicePreview: ...

    @overload
    def update_service(
        self,
        service_id: int,
        *,
        body: UpdateService,
        dry_run: Literal[False] = False,
        if_match: Optional[str] = None,
    ) -> Service: ...

    @overload
    def update_service(
        self,
        service_id: int,
        *,
        body: UpdateService,
        dry_run: bool,
        if_match: Optional[str] = None,
    ) -> Union[ServicePreview, Service]: ...

    def update_service(
        self,
        service_id: int,
        *,
        body: UpdateService,
        dry_run: Optional[bool] = None,
        if_match: Optional[str] = None,
    ) -> Union[ServicePreview, Service]:
        """Update a service.

        :param service_id: Service
        :param dry_run: true: nothing is changed, and the answer (200) is what it would be, with its `impact` on bookings
        """
        data: Union[ServicePreview, Service] = self._call(
            "PATCH",
            f"/v1/services/{quote(str(service_id), safe='')}",
            query={
                "dry_run": dry_run,
            },
            headers={"If-Match": if_match},
            body=body,
        )
        return data

    def delete_service(
        self,
        service_id: int,
        *,
        if_match: Optional[str] = None,
    ) -> Literal["ok"]:
        """Delete a service.

        :param service_id: Service
        """
        data: Literal["ok"] = self._call(
            "DELETE",
            f"/v1/services/{quote(str(service_id), safe='')}",
            headers={"If-Match": if_match},
        )
        return data

    @overload
    def list_service_time_slots(
        self,
        service_id: int,
    ) -> List[TimeSlot]: ...

    @overload
    def list_service_time_slots(
        self,
        service_id: int,
        *,
        page: int,
        page_size: Optional[int] = None,
        no_pagination: Optional[bool] = None,
    ) -> TimeSlotList: ...

    @overload
    def list_service_time_slots(
        self,
        service_id: int,
        *,
        page: Optional[int] = None,
        page_size: Optional[int] = None,
        no_pagination: Optional[bool] = None,
    ) -> Union[List[TimeSlot], TimeSlotList]: ...

    def list_service_time_slots(
        self,
        service_id: int,
        *,
        page: Optional[int] = None,
        page_size: Optional[int] = None,
        no_pagination: Optional[bool] = None,
    ) -> Union[List[TimeSlot], TimeSlotList]:
        """List the time slots of a service.

        :param service_id: Service
        :param page: Page, from 1
        :param page_size: Rows a page, 1 to 1000
        :param no_pagination: true: every time slot, on one page
        """
        data: Union[List[TimeSlot], TimeSlotList] = self._call(
            "GET",
            f"/v1/services/{quote(str(service_id), safe='')}/time-slots",
            query={
                "page": page,
                "page_size": page_size,
                "no_pagination": no_pagination,
            },
        )
        return data

    def iter_service_time_slots(
        self,
        service_id: int,
        *,
        page_size: int = 100,
    ) -> Iterator[TimeSlot]:
        """List the time slots of a service: every row, page by page.

        :param service_id: Service
        :param page_size: Rows a page, 1 to 1000
        """
        return self._rows("time_slots", lambda page: self.list_service_time_slots(service_id, page=page, page_size=page_size))

    def list_time_slots(
        self,
        *,
        service_id: Optional[int] = None,
        page: Optional[int] = None,
        page_size: Optional[int] = None,
        no_pagination: Optional[bool] = None,
    ) -> TimeSlotList:
        """List time slots.

        :param service_id: Only of this service
        :param page: Page, from 1
        :param page_size: Rows a page, 1 to 1000
        :param no_pagination: true: every time slot, on one page
        """
        data: TimeSlotList = self._call(
            "GET",
            "/v1/time-slots",
            query={
                "service_id": service_id,
                "page": page,
                "page_size": page_size,
                "no_pagination": no_pagination,
            },
        )
        return data

    def iter_time_slots(
        self,
        *,
        service_id: Optional[int] = None,
        page_size: int = 100,
    ) -> Iterator[TimeSlot]:
        """List time slots: every row, page by page.

        :param service_id: Only of this service
        :param page_size: Rows a page, 1 to 1000
        """
        return self._rows("time_slots", lambda page: self.list_time_slots(service_id=service_id, page=page, page_size=page_size))

    @overload
    def update_time_slots(
        self,
        *,
        body: UpdateTimeSlots,
        dry_run: Literal[True],
    ) -> TimeSlotsPreview: ...

    @overload
    def update_time_slots(
        self,
        *,
        body: UpdateTimeSlots,
        dry_run: Literal[False] = False,
    ) -> UpdatedTimeSlots: ...

    @overload
    def update_time_slots(
        self,
        *,
        body: UpdateTimeSlots,
        dry_run: bool,
    ) -> Union[TimeSlotsPreview, UpdatedTimeSlots]: ...

    def update_time_slots(
        self,
        *,
        body: UpdateTimeSlots,
        dry_run: Optional[bool] = None,
    ) -> Union[TimeSlotsPreview, UpdatedTimeSlots]:
        """Update time slots.

        :param dry_run: true: nothing is changed, and the answer (200) is what it would be, with its `impact` on bookings
        """
        data: Union[TimeSlotsPreview, UpdatedTimeSlots] = self._call(
            "PATCH",
            "/v1/time-slots",
            query={
                "dry_run": dry_run,
            },
            body=body,
        )
        return data

    def get_service_availability(
        self,
        service_id: int,
        *,
        from_: str,
        to: str,
        time_slot_id: Optional[int] = None,
        bookable: Optional[bool] = None,
    ) -> Availability:
        """Get the availability of a service.

        :param service_id: Service
        :param from_: First date
        :param to: Last date; at most 92 days in all
        :param time_slot_id: Only of this time slot
        :param bookable: true: only what can be booked; false: only what cannot
        """
        data: Availability = self._call(
            "GET",
            f"/v1/services/{quote(str(service_id), safe='')}/availability",
            query={
                "from": from_,
                "to": to,
                "time_slot_id": time_slot_id,
                "bookable": bookable,
            },
        )
        return data

    def get_availability(
        self,
        *,
        service_ids: List[int],
        from_: str,
        to: str,
        time_slot_id: Optional[int] = None,
        bookable: Optional[bool] = None,
    ) -> ServicesAvailability:
        """Get the availability of several services.

        :param service_ids: At most 20, each once, separated by commas
        :param from_: First date
        :param to: Last date; at most 92 days in all
        :param time_slot_id: Only of this time slot
        :param bookable: true: only what can be booked; false: only what cannot
        """
        data: ServicesAvailability = self._call(
            "GET",
            "/v1/availability",
            query={
                "service_ids": service_ids,
                "from": from_,
                "to": to,
                "time_slot_id": time_slot_id,
                "bookable": bookable,
            },
        )
        return data

    def get_schedule(
        self,
        service_id: int,
    ) -> Schedule:
        """Get the schedule of a service.

        :param service_id: Service
        """
        data: Schedule = self._call(
            "GET",
            f"/v1/services/{quote(str(service_id), safe='')}/schedule",
        )
        return data

    @overload
    def replace_schedule(
        self,
        service_id: int,
        *,
        body: ReplaceSchedule,
        dry_run: Literal[True],
        if_match: Optional[str] = None,
    ) -> SchedulePreview: ...

    @overload
    def replace_schedule(
        self,
        service_id: int,
        *,
        body: ReplaceSchedule,
        dry_run: Literal[False] = False,
        if_match: Optional[str] = None,
    ) -> Schedule: ...

    @overload
    def replace_schedule(
        self,
        service_id: int,
        *,
        body: ReplaceSchedule,
        dry_run: bool,
        if_match: Optional[str] = None,
    ) -> Union[SchedulePreview, Schedule]: ...

    def replace_schedule(
        self,
        service_id: int,
        *,
        body: ReplaceSchedule,
        dry_run: Optional[bool] = None,
        if_match: Optional[str] = None,
    ) -> Union[SchedulePreview, Schedule]:
        """Replace the schedule of a service.

        :param service_id: Service
        :param dry_run: true: nothing is changed, and the answer (200) is what it would be, with its `impact` on bookings
        """
        data: Union[SchedulePreview, Schedule] = self._call(
            "PUT",
            f"/v1/services/{quote(str(service_id), safe='')}/schedule",
            query={
                "dry_run": dry_run,
            },
            headers={"If-Match": if_match},
            body=body,
        )
        return data

    @overload
    def create_date_override(
        self,
        service_id: int,
        *,
        body: CreateDateOverride,
        dry_run: Literal[True],
    ) -> DateOverridePreview: ...

    @overload
    def create_date_override(
        self,
        service_id: int,
        *,
        body: CreateDateOverride,
        dry_run: Literal[False] = False,
    ) -> DateOverride: ...

    @overload
    def create_date_override(
        self,
        service_id: int,
        *,
        body: CreateDateOverride,
        dry_run: bool,
    ) -> Union[DateOverridePreview, DateOverride]: ...

    def create_date_override(
        self,
        service_id: int,
        *,
        body: CreateDateOverride,
        dry_run: Optional[bool] = None,
    ) -> Union[DateOverridePreview, DateOverride]:
        """Create a date override.

        :param service_id: Service
        :param dry_run: true: nothing is changed, and the answer (200) is what it would be, with its `impact` on bookings
        """
        data: Union[DateOverridePreview, DateOverride] = self._call(
            "POST",
            f"/v1/services/{quote(str(service_id), safe='')}/date-overrides",
            query={
                "dry_run": dry_run,
            },
            body=body,
        )
        return data

    def list_date_overrides(
        self,
        service_id: int,
        *,
        page: Optional[int] = None,
        page_size: Optional[int] = None,
    ) -> DateOverrideList:
        """List date overrides.

        :param service_id: Service
        :param page: Page, from 1
        :param page_size: Rows a page, 1 to 1000
        """
        data: DateOverrideList = self._call(
            "GET",
            f"/v1/services/{quote(str(service_id), safe='')}/date-overrides",
            query={
                "page": page,
                "page_size": page_size,
            },
        )
        return data

    def iter_date_overrides(
        self,
        service_id: int,
        *,
        page_size: int = 100,
    ) -> Iterator[DateOverride]:
        """List date overrides: every row, page by page.

        :param service_id: Service
        :param page_size: Rows a page, 1 to 1000
        """
        return self._rows("date_overrides", lambda page: self.list_date_overrides(service_id, page=page, page_size=page_size))

    def delete_date_override(
        self,
        service_id: int,
        override_id: int,
    ) -> Literal["ok"]:
        """Delete a date override.

        :param service_id: Service
        :param override_id: Date override
        """
        data: Literal["ok"] = self._call(
            "DELETE",
            f"/v1/services/{quote(str(service_id), safe='')}/date-overrides/{quote(str(override_id), safe='')}",
        )
        return data

    def create_calendar_feed(
        self,
        service_id: int,
        *,
        body: CreateCalendarFeed,
    ) -> NewCalendarFeed:
        """Create a calendar feed.

        :param service_id: Service
        """
        data: NewCalendarFeed = self._call(
            "POST",
            f"/v1/services/{quote(str(service_id), safe='')}/calendar-feeds",
            body=body,
        )
        return data

    def list_calendar_feeds(
        self,
        service_id: int,
        *,
        page: Optional[int] = None,
        page_size: Optional[int] = None,
    ) -> CalendarFeedList:
        """List calendar feeds.

        :param service_id: Service
        :param page: Page, from 1
        :param page_size: Rows a page, 1 to 1000
        """
        data: CalendarFeedList = self._call(
            "GET",
            f"/v1/services/{quote(str(service_id), safe='')}/calendar-feeds",
            query={
                "page": page,
                "page_size": page_size,
            },
        )
        return data

    def iter_calendar_feeds(
        self,
        service_id: int,
        *,
        page_size: int = 100,
    ) -> Iterator[CalendarFeed]:
        """List calendar feeds: every row, page by page.

        :param service_id: Service
        :param page_size: Rows a page, 1 to 1000
        """
        return self._rows("calendar_feeds", lambda page: self.list_calendar_feeds(service_id, page=page, page_size=page_size))

    def delete_calendar_feed(
        self,
        service_id: int,
        feed_id: int,
    ) -> Literal["ok"]:
        """Delete a calendar feed.

        :param service_id: Service
        :param feed_id: Calendar feed
        """
        data: Literal["ok"] = self._call(
            "DELETE",
            f"/v1/services/{quote(str(service_id), safe='')}/calendar-feeds/{quote(str(feed_id), safe='')}",
        )
        return data

    def create_booking(
        self,
        *,
        body: CreateBooking,
        service_id: Optional[int] = None,
        ignore_rules: Optional[bool] = None,
        alternatives: Optional[int] = None,
        idempotency_key: Optional[str] = None,
    ) -> Booking:
        """Create a booking.

        :param service_id: Where given, it must be the slot's service
        :param ignore_rules: true: sets the service's `rules` aside, for the provider's own desk
        :param alternatives: A refusal for want of a place, `notice` or `horizon` tells so many others of the service within 28 days
        """
        data: Booking = self._call(
            "POST",
            "/v1/bookings",
            query={
                "service_id": service_id,
                "ignore_rules": ignore_rules,
                "alternatives": alternatives,
            },
            headers={"Idempotency-Key": idempotency_key or new_key()},
            body=body,
        )
        return data

    def list_bookings(
        self,
        *,
        page: int,
        page_size: int,
        service_id: Optional[int] = None,
        sort: Optional[Literal["id", "-id", "starts_at", "-starts_at", "updated_at", "-updated_at"]] = None,
        status: Optional[Literal["pending", "confirmed", "cancelled"]] = None,
        date: Optional[str] = None,
        date_from: Optional[str] = None,
        date_to: Optional[str] = None,
        time_slot_id: Optional[int] = None,
        customer_email: Optional[str] = None,
        customer_phone: Optional[str] = None,
        updated_since: Optional[str] = None,
    ) -> BookingList:
        """List bookings.

        :param service_id: Service; required where no filter narrows the list
        :param page: Page, from 1
        :param page_size: Rows a page, 1 to 1000
        :param sort: With `-`, the last ones come first; those with the same value by id, in the same direction
        :param date: On this date
        :param date_from: On this date or later
        :param date_to: On this date or earlier
        :param time_slot_id: Of this time slot
        :param customer_email: The customer's address, case-insensitive
        :param customer_phone: The customer's phone number
        :param updated_since: Made or changed at this moment or later
        """
        data: BookingList = self._call(
            "GET",
            "/v1/bookings",
            query={
                "service_id": service_id,
                "page": page,
                "page_size": page_size,
                "sort": sort,
                "status": status,
                "date": date,
                "date_from": date_from,
                "date_to": date_to,
                "time_slot_id": time_slot_id,
                "customer_email": customer_email,
                "customer_phone": customer_phone,
                "updated_since": updated_since,
            },
        )
        return data

    def iter_bookings(
        self,
        *,
        service_id: Optional[int] = None,
        sort: Optional[Literal["id", "-id", "starts_at", "-starts_at", "updated_at", "-updated_at"]] = None,
        status: Optional[Literal["pending", "confirmed", "cancelled"]] = None,
        date: Optional[str] = None,
        date_from: Optional[str] = None,
        date_to: Optional[str] = None,
        time_slot_id: Optional[int] = None,
        customer_email: Optional[str] = None,
        customer_phone: Optional[str] = None,
        updated_since: Optional[str] = None,
        page_size: int = 100,
    ) -> Iterator[Booking]:
        """List bookings: every row, page by page.

        :param service_id: Service; required where no filter narrows the list
        :param sort: With `-`, the last ones come first; those with the same value by id, in the same direction
        :param date: On this date
        :param date_from: On this date or later
        :param date_to: On this date or earlier
        :param time_slot_id: Of this time slot
        :param customer_email: The customer's address, case-insensitive
        :param customer_phone: The customer's phone number
        :param updated_since: Made or changed at this moment or later
        :param page_size: Rows a page, 1 to 1000
        """
        return self._rows("bookings", lambda page: self.list_bookings(service_id=service_id, sort=sort, status=status, date=date, date_from=date_from, date_to=date_to, time_slot_id=time_slot_id, customer_email=customer_email, customer_phone=customer_phone, updated_since=updated_since, page=page, page_size=page_size))

    def get_booking(
        self,
        booking_id: int,
    ) -> Booking:
        """Get a booking.

        :param booking_id: Booking
        """
        data: Booking = self._call(
            "GET",
            f"/v1/bookings/{quote(str(booking_id), safe='')}",
        )
        return data

    def update_booking(
        self,
        booking_id: int,
        *,
        body: UpdateBooking,
        ignore_rules: Optional[bool] = None,
        alternatives: Optional[int] = None,
        if_match: Optional[str] = None,
    ) -> Booking:
        """Update, reschedule or cancel a booking.

        :param booking_id: Booking
        :param ignore_rules: true: sets the service's `rules` aside, for the provider's own desk
        :param alternatives: A refusal for want of a place, `notice` or `horizon` tells so many others of the service within 28 days
        """
        data: Booking = self._call(
            "PATCH",
            f"/v1/bookings/{quote(str(booking_id), safe='')}",
            query={
                "ignore_rules": ignore_rules,
                "alternatives": alternatives,
            },
            headers={"If-Match": if_match},
            body=body,
        )
        return data

    def delete_booking(
        self,
        booking_id: int,
        *,
        if_match: Optional[str] = None,
    ) -> Literal["ok"]:
        """Delete a booking.

        :param booking_id: Booking
        """
        data: Literal["ok"] = self._call(
            "DELETE",
            f"/v1/bookings/{quote(str(booking_id), safe='')}",
            headers={"If-Match": if_match},
        )
        return data

    def get_booking_customer(
        self,
        booking_id: int,
    ) -> Customer:
        """Get the customer of a booking.

        :param booking_id: Booking
        """
        data: Customer = self._call(
            "GET",
            f"/v1/bookings/{quote(str(booking_id), safe='')}/customer",
        )
        return data

    def update_booking_customer(
        self,
        booking_id: int,
        *,
        body: UpdateCustomer,
        if_match: Optional[str] = None,
    ) -> Customer:
        """Update the customer of a booking.

        :param booking_id: Booking
        """
        data: Customer = self._call(
            "PATCH",
            f"/v1/bookings/{quote(str(booking_id), safe='')}/customer",
            headers={"If-Match": if_match},
            body=body,
        )
        return data

    def list_customers(
        self,
        *,
        email: Optional[str] = None,
        phone: Optional[str] = None,
        page: Optional[int] = None,
        page_size: Optional[int] = None,
    ) -> CustomerList:
        """List customers.

        :param email: E-mail address, case-insensitive
        :param phone: Phone number
        :param page: Page, from 1
        :param page_size: Rows a page, 1 to 1000
        """
        data: CustomerList = self._call(
            "GET",
            "/v1/customers",
            query={
                "email": email,
                "phone": phone,
                "page": page,
                "page_size": page_size,
            },
        )
        return data

    def iter_customers(
        self,
        *,
        email: Optional[str] = None,
        phone: Optional[str] = None,
        page_size: int = 100,
    ) -> Iterator[DirectoryCustomer]:
        """List customers: every row, page by page.

        :param email: E-mail address, case-insensitive
        :param phone: Phone number
        :param page_size: Rows a page, 1 to 1000
        """
        return self._rows("customers", lambda page: self.list_customers(email=email, phone=phone, page=page, page_size=page_size))

    def export_customer(
        self,
        *,
        email: Optional[str] = None,
        phone: Optional[str] = None,
        after: Optional[int] = None,
    ) -> PersonExport:
        """Export what is kept about a person.

        :param email: E-mail address, case-insensitive
        :param phone: Phone number
        :param after: `next_after` of the last answer
        """
        data: PersonExport = self._call(
            "GET",
            "/v1/customers/export",
            query={
                "email": email,
                "phone": phone,
                "after": after,
            },
        )
        return data

    def erase_customer(
        self,
        *,
        body: EraseCustomerBody,
    ) -> EraseCustomerResult:
        """Erase a person."""
        data: EraseCustomerResult = self._call(
            "POST",
            "/v1/customers/erase",
            body=body,
        )
        return data

    def list_events(
        self,
        *,
        after: Optional[int] = None,
        limit: Optional[int] = None,
        types: Optional[List[EventType]] = None,
        booking_id: Optional[int] = None,
        wait: Optional[int] = None,
    ) -> EventList:
        """List events.

        :param after: `next_after` of the last answer; 0 starts at the oldest event kept
        :param limit: 100 where it is left out
        :param types: Only these, separated by commas
        :param booking_id: Only of this booking
        :param wait: s to wait for an event
        """
        data: EventList = self._call(
            "GET",
            "/v1/events",
            query={
                "after": after,
                "limit": limit,
                "types": types,
                "booking_id": booking_id,
                "wait": wait,
            },
        )
        return data

    def create_webhook(
        self,
        *,
        body: CreateWebhook,
        idempotency_key: Optional[str] = None,
    ) -> WebhookWithSecret:
        """Create a webhook."""
        data: WebhookWithSecret = self._call(
            "POST",
            "/v1/webhooks",
            headers={"Idempotency-Key": idempotency_key or new_key()},
            body=body,
        )
        return data

    def list_webhooks(
        self,
        *,
        page: Optional[int] = None,
        page_size: Optional[int] = None,
    ) -> WebhookList:
        """List webhooks.

        :param page: Page, from 1
        :param page_size: Rows a page, 1 to 1000
        """
        data: WebhookList = self._call(
            "GET",
            "/v1/webhooks",
            query={
                "page": page,
                "page_size": page_size,
            },
        )
        return data

    def iter_webhooks(
        self,
        *,
        page_size: int = 100,
    ) -> Iterator[Webhook]:
        """List webhooks: every row, page by page.

        :param page_size: Rows a page, 1 to 1000
        """
        return self._rows("webhooks", lambda page: self.list_webhooks(page=page, page_size=page_size))

    def get_webhook(
        self,
        webhook_id: int,
    ) -> Webhook:
        """Get a webhook.

        :param webhook_id: Webhook
        """
        data: Webhook = self._call(
            "GET",
            f"/v1/webhooks/{quote(str(webhook_id), safe='')}",
        )
        return data

    def update_webhook(
        self,
        webhook_id: int,
        *,
        body: UpdateWebhook,
        if_match: Optional[str] = None,
    ) -> Webhook:
        """Update a webhook.

        :param webhook_id: Webhook
        """
        data: Webhook = self._call(
            "PATCH",
            f"/v1/webhooks/{quote(str(webhook_id), safe='')}",
            headers={"If-Match": if_match},
            body=body,
        )
        return data

    def delete_webhook(
        self,
        webhook_id: int,
        *,
        if_match: Optional[str] = None,
    ) -> Literal["ok"]:
        """Delete a webhook.

        :param webhook_id: Webhook
        """
        data: Literal["ok"] = self._call(
            "DELETE",
            f"/v1/webhooks/{quote(str(webhook_id), safe='')}",
            headers={"If-Match": if_match},
        )
        return data

    def rotate_webhook_secret(
        self,
        webhook_id: int,
    ) -> WebhookWithSecret:
        """Rotate the secret of a webhook.

        :param webhook_id: Webhook
        """
        data: WebhookWithSecret = self._call(
            "POST",
            f"/v1/webhooks/{quote(str(webhook_id), safe='')}/rotate-secret",
        )
        return data

    def test_webhook(
        self,
        webhook_id: int,
    ) -> Delivery:
        """Send a test to a webhook.

        :param webhook_id: Webhook
        """
        data: Delivery = self._call(
            "POST",
            f"/v1/webhooks/{quote(str(webhook_id), safe='')}/test",
        )
        return data

    def list_deliveries(
        self,
        webhook_id: int,
        *,
        page: Optional[int] = None,
        page_size: Optional[int] = None,
        status: Optional[Literal["pending", "delivered", "failed"]] = None,
        event_type: Optional[Literal["booking.created", "booking.confirmed", "booking.cancelled", "booking.updated", "booking.deleted", "customer.erased", "webhook.test"]] = None,
    ) -> DeliveryList:
        """List the deliveries of a webhook.

        :param webhook_id: Webhook
        :param page: Page, from 1
        :param page_size: Rows a page, 1 to 1000
        """
        data: DeliveryList = self._call(
            "GET",
            f"/v1/webhooks/{quote(str(webhook_id), safe='')}/deliveries",
            query={
                "page": page,
                "page_size": page_size,
                "status": status,
                "event_type": event_type,
            },
        )
        return data

    def iter_deliveries(
        self,
        webhook_id: int,
        *,
        status: Optional[Literal["pending", "delivered", "failed"]] = None,
        event_type: Optional[Literal["booking.created", "booking.confirmed", "booking.cancelled", "booking.updated", "booking.deleted", "customer.erased", "webhook.test"]] = None,
        page_size: int = 100,
    ) -> Iterator[Delivery]:
        """List the deliveries of a webhook: every row, page by page.

        :param webhook_id: Webhook
        :param page_size: Rows a page, 1 to 1000
        """
        return self._rows("deliveries", lambda page: self.list_deliveries(webhook_id, status=status, event_type=event_type, page=page, page_size=page_size))

    def redeliver(
        self,
        webhook_id: int,
        delivery_id: int,
    ) -> Delivery:
        """Send a delivery again.

        :param webhook_id: Webhook
        :param delivery_id: Delivery
        """
        data: Delivery = self._call(
            "POST",
            f"/v1/webhooks/{quote(str(webhook_id), safe='')}/deliveries/{quote(str(delivery_id), safe='')}/redeliver",
        )
        return data

    def recover_webhook(
        self,
        webhook_id: int,
        *,
        body: RecoverWebhook,
    ) -> Literal["ok"]:
        """Send again what failed.

        :param webhook_id: Webhook
        """
        data: Literal["ok"] = self._call(
            "POST",
            f"/v1/webhooks/{quote(str(webhook_id), safe='')}/recover",
            body=body,
        )
        return data

    def get_usage(
        self,
    ) -> Usage:
        """Get the usage of this month."""
        data: Usage = self._call(
            "GET",
            "/v1/usage",
        )
        return data
