import { bookingCustomersOperations } from './booking-customers.ts';
import { bookingsOperations } from './bookings.ts';
import { calendarFeedsOperations } from './calendar-feeds.ts';
import { customersOperations } from './customers.ts';
import { dateOverridesOperations } from './date-overrides.ts';
import { deliveriesOperations } from './deliveries.ts';
import { eventsOperations } from './events.ts';
import type { Operation } from './operation.ts';
import { schedulesOperations } from './schedules.ts';
import { servicesOperations } from './services.ts';
import { timeSlotsOperations } from './time-slots.ts';
import { usageOperations } from './usage.ts';
import { webhooksOperations } from './webhooks.ts';

/** THE TABLE: every operation of the API, in the order of the reference. */
export const operations: readonly Operation[] = [
	...servicesOperations,
	...timeSlotsOperations,
	...schedulesOperations,
	...dateOverridesOperations,
	...calendarFeedsOperations,
	...bookingsOperations,
	...bookingCustomersOperations,
	...customersOperations,
	...eventsOperations,
	...webhooksOperations,
	...deliveriesOperations,
	...usageOperations,
];
