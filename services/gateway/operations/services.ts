import { DEFAULT_PAGE_SIZE, Page, PageSize, pagination } from '../../../shared/contract/schemas/pagination.ts';
import { Id, Type } from '../../../shared/contract/schemas/schema.ts';
import {
	CreateService,
	Service,
	ServiceList,
	ServicePreview,
	UpdateService,
} from '../../../shared/contract/schemas/service.ts';
import { TimeSlot } from '../../../shared/contract/schemas/time-slot.ts';
import { DryRun } from './dry-run.ts';
import { impactExample, serviceExample, timeSlotExample } from './examples.ts';
import { LARGE_BODY_LIMIT, type Operation, type Outcome, operation } from './operation.ts';
import { inPieces, offsetOf, paginationOf, SERVICES_A_PIECE } from './pieces.ts';

const path = Type.Object({ serviceID: Id('Service') });
const { id: _id, service_id: _service, created_at: _created, updated_at: _updated, ...slotInput } = timeSlotExample;

const single = (service: Service): Outcome => ({ data: service, version: service.version });

/** In the order of the reference. */
export const servicesOperations: readonly Operation[] = [
	operation({
		id: 'createService',
		method: 'POST',
		path: '/v1/services',
		action: 'catalog.createService',
		scope: 'write',
		tag: 'Services',
		summary: 'Create a service',
		description: 'Creates a service and its time slots, all or nothing.',
		body: {
			schema: CreateService,
			resource: Type.Object({ ...Service.properties, time_slots: Type.Array(TimeSlot) }),
			limit: LARGE_BODY_LIMIT,
			example: {
				name: serviceExample.name,
				description: serviceExample.description,
				timezone: serviceExample.timezone,
				rules: serviceExample.rules,
				metadata: serviceExample.metadata,
				time_slots: [slotInput],
			},
		},
		answer: { status: 201, schema: Service, description: 'The new service', example: serviceExample },
		errors: ['unprocessable', 'services_limit_reached', 'idempotency_key_reused', 'request_in_progress'],
		headers: { etag: true, location: true, idempotencyKey: true },
		async run({ body, idempotency, call }) {
			const { data, replayed } = await call('catalog.createService', { body, idempotency });
			return { ...single(data), replayed, location: `/v1/services/${data.id}` };
		},
	}),
	operation({
		id: 'listServices',
		method: 'GET',
		path: '/v1/services',
		action: 'catalog.listServices',
		scope: 'read',
		highResource: true,
		tag: 'Services',
		summary: 'List services',
		description: "Lists the account's services by id. A page past the end is empty.",
		parameters: { query: Type.Object({ page: Type.Optional(Page), page_size: Type.Optional(PageSize) }) },
		answer: {
			status: 200,
			schema: ServiceList,
			description: 'One page of services',
			example: { services: [serviceExample], pagination: pagination(1, DEFAULT_PAGE_SIZE, 1) },
		},
		errors: [],
		headers: {},
		async run({ query: { page = 1, page_size = DEFAULT_PAGE_SIZE }, call }) {
			const offset = offsetOf(page, page_size);
			const first = page_size <= SERVICES_A_PIECE ? page_size : largestPage(offset);
			const { rows, total } = await inPieces<Service>(
				page_size,
				{ first, next: SERVICES_A_PIECE },
				async (asked, last) => {
					const list = await call('catalog.listServices', {
						page: offset / first + 1,
						page_size: asked,
						after: last?.id,
					});
					return { rows: list.services, total: list.pagination.total_items };
				},
			);
			return { data: { services: rows, pagination: paginationOf(page, page_size, rows.length, total) } };
		},
	}),
	operation({
		id: 'getService',
		method: 'GET',
		path: '/v1/services/{serviceID}',
		action: 'catalog.getService',
		scope: 'read',
		tag: 'Services',
		summary: 'Get a service',
		description: 'Always sent whole, for `bookings_count` changes without the version.',
		parameters: { path },
		answer: { status: 200, schema: Service, description: 'The service', example: serviceExample },
		errors: ['service_not_found'],
		headers: { etag: true },
		async run({ path: { serviceID }, call }) {
			return single(await call('catalog.getService', { service_id: serviceID }));
		},
	}),
	operation({
		id: 'updateService',
		method: 'PATCH',
		path: '/v1/services/{serviceID}',
		action: 'catalog.updateService',
		scope: 'write',
		tag: 'Services',
		summary: 'Update a service',
		description:
			'Changes the fields that are sent. A `version` that is not the current one answers 409. Bookings stay as they are ' +
			'promised; `dry_run=true` tells beforehand which ones another time zone would be out of step with.',
		parameters: { path, query: Type.Object({ dry_run: DryRun }) },
		body: { schema: UpdateService, resource: Service, example: { name: 'Piano lesson for beginners' } },
		answer: {
			status: 200,
			schema: Service,
			description: 'The service as it is now',
			example: { ...serviceExample, name: 'Piano lesson for beginners', version: 2 },
		},
		dryRun: {
			schema: ServicePreview,
			description: 'The service as it would be; `ETag` is the version that it has, for `If-Match` of the change itself',
			example: { ...serviceExample, timezone: 'Europe/Lisbon', version: 2, impact: impactExample },
		},
		errors: ['service_not_found', 'version_mismatch', 'version_conflict'],
		headers: { etag: true, ifMatch: true },
		async run({ path: { serviceID }, query: { dry_run }, body, ifMatch, call }) {
			const asked = { service_id: serviceID, body, if_match: ifMatch };
			if (dry_run) return call('catalog.previewService', asked);
			return single(await call('catalog.updateService', asked));
		},
	}),
	operation({
		id: 'deleteService',
		method: 'DELETE',
		path: '/v1/services/{serviceID}',
		action: 'catalog.deleteService',
		scope: 'write',
		tag: 'Services',
		summary: 'Delete a service',
		description: 'Removes the service, its time slots, its bookings and their customers.',
		parameters: { path },
		answer: { status: 200, schema: Type.Literal('ok'), description: 'It is gone', example: 'ok' },
		errors: ['service_not_found', 'version_mismatch'],
		headers: { ifMatch: true },
		async run({ path: { serviceID }, ifMatch, call }) {
			const data = await call('catalog.deleteService', { service_id: serviceID, if_match: ifMatch });
			return { data, sent: () => call('catalog.deletionAnswered', { service_id: serviceID }) };
		},
	}),
];

/** The largest size, up to a piece, of pages of which one begins at `offset`. */
function largestPage(offset: number): number {
	let size = SERVICES_A_PIECE;
	while (offset % size !== 0) size--;
	return size;
}
