import {
	CreateDateOverride,
	DateOverride,
	DateOverrideList,
	DateOverridePreview,
	MOST_OVERRIDDEN_DAYS,
	MOST_OVERRIDES,
} from '../../../shared/contract/schemas/date-override.ts';
import { DEFAULT_PAGE_SIZE, Page, PageSize, pagination } from '../../../shared/contract/schemas/pagination.ts';
import { Id, Type } from '../../../shared/contract/schemas/schema.ts';
import { checkDateRange } from '../validation/date-range.ts';
import { DryRun } from './dry-run.ts';
import { dateOverrideExample, impactExample } from './examples.ts';
import { type Operation, operation } from './operation.ts';
import { OVERRIDES_A_PIECE, offsetOf, ofOneCut } from './pieces.ts';

const path = Type.Object({ serviceID: Id('Service') });
const { id: _id, ...given } = dateOverrideExample;

/** In the order of the reference. */
export const dateOverridesOperations: readonly Operation[] = [
	operation({
		id: 'createDateOverride',
		method: 'POST',
		path: '/v1/services/{serviceID}/date-overrides',
		action: 'catalog.createOverride',
		scope: 'write',
		tag: 'Time slots',
		summary: 'Create a date override',
		description:
			`Sets another maximum on some dates, for a time slot or for all of the service; 0 closes them, as for a holiday. ` +
			`What is booked stays. Of several on a date the one with the highest id holds. A service has at most ${MOST_OVERRIDES}. ` +
			'`dry_run=true` tells beforehand where more is booked than it would allow.',
		parameters: { path, query: Type.Object({ dry_run: DryRun }) },
		body: { schema: CreateDateOverride, resource: DateOverride, example: given },
		answer: { status: 201, schema: DateOverride, description: 'The new date override', example: dateOverrideExample },
		dryRun: {
			schema: DateOverridePreview,
			description: 'With `dry_run`: the date override as it would be, without an id',
			example: { ...given, id: null, impact: impactExample },
		},
		errors: ['service_not_found', 'time_slot_not_found', 'date_overrides_limit_reached'],
		headers: {},
		check({ body: { date_from, date_to } }, faults) {
			checkDateRange({ date_from, date_to }, MOST_OVERRIDDEN_DAYS, faults);
		},
		async run({ path: { serviceID }, query: { dry_run }, body, call }) {
			const asked = { service_id: serviceID, body };
			return { data: await call(dry_run ? 'catalog.previewOverride' : 'catalog.createOverride', asked) };
		},
	}),
	operation({
		id: 'listDateOverrides',
		method: 'GET',
		path: '/v1/services/{serviceID}/date-overrides',
		action: 'catalog.listOverrides',
		scope: 'read',
		highResource: true,
		tag: 'Time slots',
		summary: 'List date overrides',
		description: 'Lists the date overrides of a service by their first date. A page past the end is empty.',
		parameters: { path, query: Type.Object({ page: Type.Optional(Page), page_size: Type.Optional(PageSize) }) },
		answer: {
			status: 200,
			schema: DateOverrideList,
			description: 'One page of date overrides',
			example: { date_overrides: [dateOverrideExample], pagination: pagination(1, DEFAULT_PAGE_SIZE, 1) },
		},
		errors: ['service_not_found'],
		headers: {},
		async run({ path: { serviceID }, query: { page = 1, page_size = DEFAULT_PAGE_SIZE }, call }) {
			const first = offsetOf(page, page_size);
			const data = await ofOneCut(async (assertSame) => {
				const rows: DateOverride[] = [];
				for (;;) {
					const limit = Math.min(page_size - rows.length, OVERRIDES_A_PIECE);
					const asked = { service_id: serviceID, offset: first + rows.length, limit };
					const { date_overrides, total, cut } = await call('catalog.listOverrides', asked);
					assertSame(cut);
					rows.push(...date_overrides);
					const isLast = date_overrides.length < limit || rows.length === page_size;
					if (isLast) return { date_overrides: rows, pagination: pagination(page, page_size, total) };
				}
			});
			return { data };
		},
	}),
	operation({
		id: 'deleteDateOverride',
		method: 'DELETE',
		path: '/v1/services/{serviceID}/date-overrides/{overrideID}',
		action: 'catalog.deleteOverride',
		scope: 'write',
		tag: 'Time slots',
		summary: 'Delete a date override',
		description: "From the answer on, another override or the time slot's own maximum holds on its dates.",
		parameters: { path: Type.Object({ ...path.properties, overrideID: Id('Date override') }) },
		answer: { status: 200, schema: Type.Literal('ok'), description: 'It is gone', example: 'ok' },
		errors: ['service_not_found', 'date_override_not_found'],
		headers: {},
		async run({ path: { serviceID, overrideID }, call }) {
			const data = await call('catalog.deleteOverride', { service_id: serviceID, override_id: overrideID });
			const removed = { service_id: serviceID, kind: 'date override', id: overrideID } as const;
			return { data, sent: () => call('catalog.removalAnswered', removed) };
		},
	}),
];
