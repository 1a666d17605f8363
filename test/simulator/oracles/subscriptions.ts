import { dataOf, deletionsOf, type Operation, outcome } from '../workload/history.ts';
import type { Event, Evidence, Finding, Oracle, Webhook } from './evidence.ts';
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
		for (const webhook of webhooks) {
			const { id, deliveries, enabled } = webhook;
			if (!enabled) continue;
			const periods = periodsOf(evidence, webhook);
			const queued = new Set(deliveries.map(({ event_id }) => event_id));
			for (const event of events) {
				const state = states.get(event.data.id)?.[event.data.version - 1];
				const period = periods.find(({ from, to }) => state && state.earliest >= from && state.latest <= to);
				if (period === undefined || queued.has(event.id)) continue;
				if (mayBeAnothers(evidence, event, state!.latest, period)) continue;
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

/**
 * For a webhook, an event happens when it comes into the log. One that came late there, behind a change, is judged by its
 * time, too; where clocks differ by more than lay between it and the change, that tells nothing (ADR 25).
 */
function mayBeAnothers({ logged, clocksApart }: Evidence, { id }: Event, made: number, { to }: Period): boolean {
	return (logged.get(id) ?? 0) >= to && to - made <= clocksApart;
}

/**
 * Each version of a webhook that an answer told of: for sure from that answer to the request that made the next version.
 * Where nobody was told of the next one, any request without an answer may have made it.
 */
function periodsOf({ history }: Evidence, { id, version: last }: Webhook): Period[] {
	const path = `/v1/webhooks/${id}`;
	if (deletionsOf(history).has(path)) return [];
	const changes = history.operations.filter((operation) => {
		if (operation.method === 'GET' || operation.foreign !== undefined || outcome(operation) === 'refused') return false;
		return operation.path.startsWith(path) || told(operation)?.id === id;
	});
	const tell = (version: number) => changes.filter((operation) => told(operation)?.version === version);
	return Array.from({ length: last }, (_, index) => index + 1).flatMap((version) => {
		const operations = tell(version);
		const [first] = operations;
		if (first === undefined) return [];
		const next = tell(version + 1);
		const makers = next.length > 0 ? next : changes.filter((each) => told(each)?.version === undefined);
		const from = Math.min(...operations.map(({ ended }) => ended!));
		const to = version === last ? Number.POSITIVE_INFINITY : Math.min(...makers.map(({ began }) => began));
		const { events, enabled } = told(first)!;
		return enabled ? [{ events, from, to, operations: [...operations, ...next] }] : [];
	});
}

/** The webhook that an answer shows */
function told(operation: Operation): Webhook | undefined {
	const data = outcome(operation) === 'done' ? dataOf<Partial<Webhook>>(operation) : undefined;
	return data?.events === undefined || data.version === undefined ? undefined : (data as Webhook);
}
