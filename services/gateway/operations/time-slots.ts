import { Availability, ServicesAvailability } from '../../../shared/contract/schemas/availability.ts';
import { DEFAULT_PAGE_SIZE, Page, PageSize, pagination } from '../../../shared/contract/schemas/pagination.ts';
import { Id, PlainDate, type Static, Type } from '../../../shared/contract/schemas/schema.ts';
import {
	TimeSlot,
	TimeSlotList,
	TimeSlotsPreview,
	UpdatedTimeSlots,
	UpdateTimeSlots,
} from '../../../shared/contract/schemas/time-slot.ts';
import { checkDateRange } from '../validation/date-range.ts';
import type { Faults } from '../validation/faults.ts';
import { availabilityOf, availabilityOfServices, availabilityText } from './availability-rows.ts';
import { DryRun } from './dry-run.ts';
import { availabilityExample, impactExample, serviceAvailabilityExample, timeSlotExample } from './examples.ts';
import { LARGE_BODY_LIMIT, type Operation, type OperationRequest, operation } from './operation.ts';
import { inPieces, ofOneCut, paginationOf, SLOTS_A_PIECE } from './pieces.ts';

const MAX_AVAILABILITY_DAYS = 92;
const MAX_AVAILABILITY_SERVICES = 20;

const path = Type.Object({ serviceID: Id('Service') });
const Paging = Type.Object({
	page: Type.Optional(Page),
	page_size: Type.Optional(PageSize),
	no_pagination: Type.Optional(Type.Boolean({ description: 'true: every time slot, on one page' })),
});
type Paging = Static<typeof Paging>;
type Call = OperationRequest<unknown, unknown, unknown>['call'];

const AvailabilityQuery = Type.Object({
	from: PlainDate('First date'),
	to: PlainDate(`Last date; at most ${MAX_AVAILABILITY_DAYS} days in all`),
	time_slot_id: Type.Optional(Id('Only of this time slot')),
	bookable: Type.Optional(Type.Boolean({ description: 'true: only what can be booked; false: only what cannot' })),
});

const listExample = { time_slots: [timeSlotExample], pagination: pagination(1, DEFAULT_PAGE_SIZE, 1) };

/** In the order of the reference. */
export const timeSlotsOperations: readonly Operation[] = [
	operation({
		id: 'listServiceTimeSlots',
		method: 'GET',
		path: '/v1/services/{serviceID}/time-slots',
		action: 'catalog.listSlots',
		scope: 'read',
		highResource: true,
		tag: 'Time slots',
		summary: 'List the time slots of a service',
		description:
			'Without `page`, `page_size` and `no_pagination`, `data` is the array of all time slots; with any of them it is ' +
			'an object with `time_slots` and `pagination`.',
		parameters: { path, query: Paging },
		answer: {
			status: 200,
			schema: Type.Union([Type.Array(TimeSlot), TimeSlotList]),
			description: 'The time slots',
			example: [timeSlotExample],
		},
		errors: ['service_not_found'],
		headers: {},
		async run({ path: { serviceID }, query, call }) {
			const isPlain = Object.keys(query).length === 0;
			return { data: isPlain ? await everySlot(call, serviceID) : await slotList(call, query, serviceID) };
		},
	}),
	operation({
		id: 'listTimeSlots',
		method: 'GET',
		path: '/v1/time-slots',
		action: 'catalog.listSlots',
		scope: 'read',
		highResource: true,
		tag: 'Time slots',
		summary: 'List time slots',
		description: "Lists a service's time slots, or, without `service_id`, all of the account's.",
		parameters: {
			query: Type.Object({ service_id: Type.Optional(Id('Only of this service')), ...Paging.properties }),
		},
		answer: { status: 200, schema: TimeSlotList, description: 'One page of time slots', example: listExample },
		errors: ['service_not_found'],
		headers: {},
		async run({ query: { service_id, ...paging }, call }) {
			return { data: await slotList(call, paging, service_id) };
		},
	}),
	operation({
		id: 'updateTimeSlots',
		method: 'PATCH',
		path: '/v1/time-slots',
		action: 'catalog.updateSlots',
		scope: 'write',
		tag: 'Time slots',
		summary: 'Update time slots',
		description:
			'Changes 1 to 500 time slots, all or nothing; each id once. `max_bookings: 0` closes a slot. What is booked stays; ' +
			'`dry_run=true` tells beforehand which bookings the change would be about.',
		parameters: { query: Type.Object({ dry_run: DryRun }) },
		body: {
			schema: UpdateTimeSlots,
			resource: TimeSlotList,
			limit: LARGE_BODY_LIMIT,
			example: { time_slots: [{ id: timeSlotExample.id, max_bookings: 6 }] },
		},
		answer: {
			status: 200,
			schema: UpdatedTimeSlots,
			description: 'The time slots as they are now, in the order asked',
			example: { time_slots: [{ ...timeSlotExample, max_bookings: 6 }] },
		},
		dryRun: {
			schema: TimeSlotsPreview,
			description: 'The time slots as they would be',
			example: { time_slots: [{ ...timeSlotExample, max_bookings: 6 }], impact: impactExample },
		},
		errors: ['time_slot_not_found'],
		headers: {},
		async run({ query: { dry_run }, body, call }) {
			return { data: await call(dry_run ? 'catalog.previewSlots' : 'catalog.updateSlots', { body }) };
		},
	}),
	operation({
		id: 'getServiceAvailability',
		method: 'GET',
		path: '/v1/services/{serviceID}/availability',
		action: 'booking.availability',
		scope: 'read',
		highResource: true,
		tag: 'Time slots',
		summary: 'Get the availability of a service',
		description: 'Every date and time slot from `from` to `to`, both included, with the places that are left.',
		parameters: {
			path,
			query: AvailabilityQuery,
		},
		answer: {
			status: 200,
			schema: Availability,
			description: 'By date, then by time slot',
			example: { availability: [availabilityExample] },
		},
		errors: ['service_not_found'],
		headers: {},
		check: ({ query }, faults) => checkRange(query, faults),
		async run({ path: { serviceID }, query, call }) {
			return { data: { availability: availabilityOf(call, serviceID, query) }, rowsText: availabilityText };
		},
	}),
	operation({
		id: 'getAvailability',
		method: 'GET',
		path: '/v1/availability',
		action: 'booking.availability',
		scope: 'read',
		highResource: true,
		tag: 'Time slots',
		summary: 'Get the availability of several services',
		description:
			'What the availability of each service says, in one list. A service that is not found is 404 for all; more than 50,000 rows are 400.',
		parameters: {
			query: Type.Object({
				service_ids: Type.Array(Id('Service'), {
					minItems: 1,
					maxItems: MAX_AVAILABILITY_SERVICES,
					description: `At most ${MAX_AVAILABILITY_SERVICES}, each once, separated by commas`,
					examples: [[1]],
				}),
				...AvailabilityQuery.properties,
			}),
		},
		answer: {
			status: 200,
			schema: ServicesAvailability,
			description: 'By date, then by service, then by time slot',
			example: { availability: [serviceAvailabilityExample] },
		},
		errors: ['service_not_found'],
		headers: {},
		check({ query }, faults) {
			const { service_ids } = query;
			if (new Set(service_ids).size < service_ids.length)
				faults.add('service_ids', 'repeated', 'must name each service once');
			checkRange(query, faults);
		},
		async run({ query: { service_ids, ...query }, call }) {
			return { data: { availability: availabilityOfServices(call, service_ids, query) }, rowsText: availabilityText };
		},
	}),
];

function checkRange({ from, to }: { from: string; to: string }, faults: Faults): void {
	checkDateRange({ from, to }, MAX_AVAILABILITY_DAYS, faults);
}

async function slotList(call: Call, query: Paging, service_id: number | undefined): Promise<TimeSlotList> {
	if (query.no_pagination) {
		const time_slots = await everySlot(call, service_id);
		return { time_slots, pagination: pagination(1, Math.max(1, time_slots.length), time_slots.length) };
	}
	const { page = 1, page_size = DEFAULT_PAGE_SIZE } = query;
	const list = await call('catalog.listSlots', { service_id, page, page_size, all: false });
	const { time_slots } = list;
	return { time_slots, pagination: paginationOf(page, page_size, time_slots.length, list.pagination.total_items) };
}

async function everySlot(call: Call, service_id: number | undefined): Promise<TimeSlot[]> {
	const sizes = { first: SLOTS_A_PIECE, next: SLOTS_A_PIECE };
	return ofOneCut(async (assertSame) => {
		const { rows } = await inPieces<TimeSlot>(Number.MAX_SAFE_INTEGER, sizes, async (page_size, last) => {
			const list = await call('catalog.listSlots', { service_id, page: 1, page_size, all: true, after: last?.id });
			assertSame(list.cut);
			return { rows: list.time_slots, total: list.pagination.total_items };
		});
		return rows;
	});
}
