import { dataOf, type Operation } from '../workload/history.ts';
import type { Finding, Oracle } from './evidence.ts';

type Slots = readonly { id?: number; time_slot_id?: number; max_bookings: number }[];

/**
 * A bulk update of slots is seen whole by every reader (X18): the slots of a service that changes have one maximum
 * together, whatever it is, so an answer with two of them shows half of an update.
 */
export const whole: Oracle = ({ history, tenants }) => {
	const findings: Finding[] = [];
	for (const operation of history.operations) {
		const { changing, maxima } = tenants[operation.account]!;
		const rows = slotsIn(operation);
		if (rows.length < 2) continue;
		const byService = Map.groupBy(rows, ({ id, time_slot_id }) => maxima.get(time_slot_id ?? id!)?.service_id);
		for (const [service, slots] of byService) {
			const shown = new Set(slots.map(({ max_bookings }) => max_bookings));
			if (service === undefined || !changing.has(service) || shown.size < 2) continue;
			const what = `service ${service} is shown with maxima ${[...shown].join(' and ')}`;
			findings.push({
				rule: 'seen whole (X18)',
				what,
				operations: [operation, ...updates(history.operations, operation)],
			});
		}
	}
	return findings;
};

/** In a list of slots, or availability */
function slotsIn(operation: Operation): Slots {
	if (operation.method !== 'GET' || operation.path === '/v1/usage') return [];
	const data = dataOf<{ time_slots?: Slots; availability?: Slots }>(operation);
	if (Array.isArray(data) && /time-slots$/.test(operation.path)) return data;
	return data?.time_slots ?? data?.availability ?? [];
}

function updates(operations: Operation[], { began, ended, account }: Operation): Operation[] {
	return operations
		.filter((each) => each.method === 'PATCH' && each.path === '/v1/time-slots' && each.account === account)
		.filter((each) => each.began <= ended! && (each.ended ?? Infinity) >= began - 2_000)
		.slice(-6);
}
