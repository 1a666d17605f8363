import { ReplaceSchedule, Schedule, SchedulePreview } from '../../../shared/contract/schemas/schedule.ts';
import { Id, Type } from '../../../shared/contract/schemas/schema.ts';
import { DryRun } from './dry-run.ts';
import { impactExample, scheduleExample } from './examples.ts';
import { LARGE_BODY_LIMIT, type Operation, type Outcome, operation } from './operation.ts';

const path = Type.Object({ serviceID: Id('Service') });
const {
	id: _id,
	service_id: _service,
	created_at: _created,
	updated_at: _updated,
	...newSlot
} = scheduleExample.time_slots[0]!;

const single = (schedule: Schedule): Outcome => ({ data: schedule, version: schedule.version });

/** In the order of the reference. */
export const schedulesOperations: readonly Operation[] = [
	operation({
		id: 'getSchedule',
		method: 'GET',
		path: '/v1/services/{serviceID}/schedule',
		action: 'catalog.getSchedule',
		scope: 'read',
		highResource: true,
		tag: 'Time slots',
		summary: 'Get the schedule of a service',
		description:
			'Time zone, rules and all time slots, as of one moment. `version` is its own: it grows with every change of them and of ' +
			'date overrides.',
		parameters: { path },
		answer: { status: 200, schema: Schedule, description: 'The schedule', example: scheduleExample },
		errors: ['service_not_found'],
		headers: { etag: true },
		async run({ path: { serviceID }, call }) {
			return single(await call('catalog.getSchedule', { service_id: serviceID }));
		},
	}),
	operation({
		id: 'replaceSchedule',
		method: 'PUT',
		path: '/v1/services/{serviceID}/schedule',
		action: 'catalog.replaceSchedule',
		scope: 'write',
		tag: 'Time slots',
		summary: 'Replace the schedule of a service',
		description:
			'Takes what GET answered, all or nothing. Time slots with an `id` keep it, those without one are new, those that are ' +
			'left out are retired: nobody can book them any more, their bookings stay as they are. `dry_run=true` tells ' +
			'beforehand which bookings that would be, and which ones the schedule would be out of step with.',
		parameters: { path, query: Type.Object({ dry_run: DryRun }) },
		body: {
			schema: ReplaceSchedule,
			resource: Schedule,
			limit: LARGE_BODY_LIMIT,
			example: {
				timezone: scheduleExample.timezone,
				rules: scheduleExample.rules,
				time_slots: [{ id: scheduleExample.time_slots[0]!.id, ...newSlot, max_bookings: 6 }],
			},
		},
		answer: {
			status: 200,
			schema: Schedule,
			description: 'The schedule as it is now',
			example: {
				...scheduleExample,
				time_slots: [{ ...scheduleExample.time_slots[0]!, max_bookings: 6 }],
				version: scheduleExample.version + 1,
			},
		},
		dryRun: {
			schema: SchedulePreview,
			description:
				'The schedule as it would be; `ETag` is the version that it has, for `If-Match` of the change itself',
			example: { ...scheduleExample, version: scheduleExample.version + 1, impact: impactExample },
		},
		errors: ['service_not_found', 'time_slot_not_found', 'version_mismatch', 'version_conflict'],
		headers: { etag: true, ifMatch: true },
		async run({ path: { serviceID }, query: { dry_run }, body, ifMatch, call }) {
			const asked = { service_id: serviceID, body, if_match: ifMatch };
			if (dry_run) return call('catalog.previewSchedule', asked);
			return single(await call('catalog.replaceSchedule', asked));
		},
	}),
];
