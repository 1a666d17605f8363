import { errorOf } from '../workload/history.ts';
import { leastWall } from './clocks.ts';
import type { Evidence, Finding, Oracle } from './evidence.ts';
import { isExpiry, statesOf } from './holdings.ts';

/** ms beside the second in which the sweep comes */
const SLACK = 5_000;

/** What is held is cancelled once its time has come and not before, and only then it is told that it was (B6). */
export const holds: Oracle = (evidence) => [
	...ends(evidence),
	...forgotten(evidence),
	...refusedConfirmations(evidence),
];

function ends({ atRest, history }: Evidence): Finding[] {
	const findings: Finding[] = [];
	for (const { events } of atRest) {
		for (const ofBooking of Map.groupBy(events, ({ data }) => data.id).values()) {
			ofBooking.sort((one, other) => one.data.version - other.data.version);
			for (const [index, event] of ofBooking.entries()) {
				const before = ofBooking[index - 1]?.data;
				if (!isExpiry(event, before)) continue;
				const isRight =
					before?.status === 'pending' &&
					before.expires_at !== null &&
					event.data.expires_at === before.expires_at &&
					Date.parse(event.timestamp) >= Date.parse(before.expires_at);
				if (isRight) continue;
				const what = `${event.id} at ${event.timestamp}, before it ${JSON.stringify(before)}`;
				const path = `/v1/bookings/${event.data.id}`;
				findings.push({
					rule: 'expired only once held and over',
					what,
					operations: history.operations.filter((each) => each.path === path),
				});
			}
		}
	}
	return findings;
}

function forgotten({ atRest, clocks, ended }: Evidence): Finding[] {
	return atRest.flatMap(({ bookings }) =>
		bookings.flatMap(({ id, status, expires_at }) => {
			if (status !== 'pending' || expires_at === null) return [];
			if (leastWall(clocks, ended - SLACK, ended) < Date.parse(expires_at)) return [];
			return [{ rule: 'expired within a second', what: `booking ${id} is held until ${expires_at}`, operations: [] }];
		}),
	);
}

function refusedConfirmations(evidence: Evidence): Finding[] {
	const states = statesOf(evidence);
	return evidence.history.operations.flatMap((operation) => {
		if (errorOf(operation) !== 'hold expired') return [];
		const expired = (states.get(Number(operation.path.split('/')[3])) ?? []).filter(({ isExpired }) => isExpired);
		if (expired.some(({ earliest }) => earliest <= operation.ended!)) return [];
		return [{ rule: 'hold expired only when it has', what: 'its hold had not ended', operations: [operation] }];
	});
}
