import { deletionsOf, type Operation, outcome } from '../workload/history.ts';
import type { Evidence, Finding, Oracle } from './evidence.ts';
import { statesOf } from './holdings.ts';

interface Period {
	events: string[];
	/** ms of the world in which these events held for sure */
	from: number;
	to: number;
	operations: Operation[];
}

/**
 * Every event reaches every webhook that was subscribed to it when it happened (X14): there is a delivery of it, whatever
 * came of that.
 */
export const subscriptions: Oracle = (evidence) => {
	const findings: Finding[] = [];
	const states = statesOf(evidence);
	for (const { webhooks, events } of evidence.atRest) {
		for (const { id, deliveries, enabled } of webhooks) {
			if (!enabled) continue;
			const periods = periodsOf(evidence, id);
			const queued = new Set(deliveries.map(({ event_id }) => event_id));
			for (const event of events) {
				const state = states.get(event.data.id)?.[event.data.version - 1];
				const period = periods.find(({ from, to }) => state && state.earliest >= from && state.latest <= to);
				if (period === undefined || queued.has(event.id)) continue;
				if (!period.events.includes('*') && !period.events.includes(event.type)) continue;
				const what = `webhook ${id} was subscribed to ${event.type}, and ${event.id} was not queued for it`;
				findings.push({
					rule: 'subscribed = delivered (X14)',
					what,
					operations: [...period.operations, ...state!.operations],
				});
			}
		}
	}
	return findings;
};

/** From the answer to a change of its events, to the next request to change them. */
function periodsOf({ history }: Evidence, id: number): Period[] {
	const path = `/v1/webhooks/${id}`;
	if (deletionsOf(history).has(path)) return [];
	const changes = history.operations.filter((operation) => {
		const { method, body, answer } = operation;
		if (method === 'POST' && operation.path === '/v1/webhooks') {
			return (answer?.body as { data?: { id?: number } } | undefined)?.data?.id === id;
		}
		return method === 'PATCH' && operation.path === path && body !== undefined && outcome(operation) !== 'refused';
	});
	if (changes.some(({ body }) => body?.enabled !== undefined || body?.url !== undefined) && changes.length > 1)
		return [];
	return changes.flatMap((change) => {
		const { body, began, ended } = change;
		if (outcome(change) !== 'done' || body?.events === undefined) return [];
		const others = changes.filter((other) => other !== change);
		// One that was under way beside it may have come after it, or may still come.
		if (others.some((other) => other.began <= ended! && latestOf(other) >= began)) return [];
		const to = Math.min(
			Number.POSITIVE_INFINITY,
			...others.filter((each) => each.began > ended!).map((each) => each.began),
		);
		return [{ events: body.events as string[], from: ended!, to, operations: [change] }];
	});
}

/** When it was made at the latest */
function latestOf(operation: Operation): number {
	return outcome(operation) === 'done' ? operation.ended! : Number.POSITIVE_INFINITY;
}
