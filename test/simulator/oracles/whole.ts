import { dataOf, type Operation } from '../workload/history.ts';
import { zoneOf } from '../workload/tenant.ts';
import type { Finding, Oracle } from './evidence.ts';

type Slots = readonly { id?: number; time_slot_id?: number; max_bookings: number }[];

/**
 * A bulk update of slots, and a new schedule, is seen whole by every reader (X18, S2): the slots of a service that changes have one
 * maximum together, whatever it is, so an answer with two of them shows half of an update. With a new schedule the time zone
 * goes by the minute at which its slots end: a schedule or a booking with another one shows a mixture of two.
 */
export const whole: Oracle = ({ history, tenants }) => {
	const findings: Finding[] = [];
	for (const operation of history.operations) {
		const { changing, maxima } = tenants[operation.account]!;
		const other = inOtherZone(operation);
		if (other !== undefined)
			findings.push({
				rule: 'seen whole (S2)',
				what: other,
				operations: [operation, ...updates(history.operations, operation)],
			});
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

/** What is shown with slots that are not of its time zone; a booking with the one that it was promised. */
function inOtherZone(operation: Operation): string | undefined {
	const { path, method } = operation;
	if (!/\/schedule$|^\/v1\/bookings(\/\d+)?$/.test(path) || method === 'DELETE') return undefined;
	const data = dataOf<Partial<InZone> & { bookings?: InZone[] }>(operation);
	for (const { timezone, time_slot, time_slots = [] } of data?.bookings ?? [data ?? {}]) {
		for (const { end_time } of time_slot ? [time_slot] : time_slots) {
			const own = zoneOf(Number(end_time.slice(14, 16)));
			if (timezone !== own) return `a slot that ends at ${end_time} is shown in ${timezone}, not in ${own}`;
		}
	}
	return undefined;
}

interface InZone {
	timezone: string;
	time_slot?: { end_time: string };
	time_slots?: { end_time: string }[];
}

/** In a list of slots, or availability */
function slotsIn(operation: Operation): Slots {
	if (operation.method !== 'GET' || operation.path === '/v1/usage') return [];
	const data = dataOf<{ time_slots?: Slots; availability?: Slots }>(operation);
	if (Array.isArray(data) && /time-slots$/.test(operation.path)) return data;
	return data?.time_slots ?? data?.availability ?? [];
}

function updates(operations: Operation[], { began, ended, account }: Operation): Operation[] {
	return operations
		.filter((each) => each.path === '/v1/time-slots' || each.path.endsWith('/schedule'))
		.filter((each) => each.method !== 'GET' && each.account === account)
		.filter((each) => each.began <= ended! && (each.ended ?? Infinity) >= began - 2_000)
		.slice(-6);
}
