import { isDeepStrictEqual } from 'node:util';
import { dataOf, deletionsOf, type Operation, outcome } from '../workload/history.ts';
import type { Event, Evidence, Finding, Oracle, Webhook } from './evidence.ts';
import { type State, statesOf } from './holdings.ts';

/** A version of a webhook, from one of its changes to the next. */
interface Period {
	/** What it was subscribed to: nothing where it was disabled; undefined where nobody was told */
	events: string[] | undefined;
	/** ms of the world from which it held for sure: from an answer that told of it */
	from: number;
	/** From and to which it may have held: from the call that made it to an answer that told of the next one */
	earliest: number;
	latest: number;
	operations: Operation[];
}

/**
 * Every event reaches every webhook that was subscribed to it when it happened (X14): there is a delivery of it, whatever
 * came of that. Where it may have happened under several versions of the webhook, all have to be subscribed to it.
 */
export const subscriptions: Oracle = (evidence) => {
	const findings: Finding[] = [];
	const states = statesOf(evidence);
	for (const { webhooks, events } of evidence.atRest) {
		for (const webhook of webhooks) {
			if (!webhook.enabled) continue;
			const periods = periodsOf(evidence, webhook);
			const queued = new Set(webhook.deliveries.map(({ event_id }) => event_id));
			for (const event of events) {
				if (queued.has(event.id)) continue;
				const state = states.get(event.data.id)?.[event.data.version - 1];
				const held = state && subscribedAt(periods, event, state);
				if (held === undefined || mayBeAnothers(evidence, event, state!.latest, endOf(periods, held, event))) continue;
				const what = `webhook ${webhook.id} was subscribed to ${event.type}, and ${event.id} was not queued for it`;
				const operations = [...held.flatMap((each) => each.operations), ...state!.operations];
				findings.push({ rule: 'subscribed = delivered (X14)', what, operations });
			}
		}
	}
	return findings;
};

/** The versions under which the event may have happened; undefined where one of them was not subscribed to it. */
function subscribedAt(
	periods: readonly Period[],
	event: Event,
	{ earliest, latest }: Pick<State, 'earliest' | 'latest'>,
): Period[] | undefined {
	const [first] = periods;
	if (first === undefined || earliest < first.from) return undefined;
	const held = periods.filter((period) => period.earliest < latest && period.latest > earliest);
	return held.every((period) => takes(period, event)) ? held : undefined;
}

function takes({ events }: Period, { type }: Event): boolean {
	return events !== undefined && (events.includes('*') || events.includes(type));
}

/** When a version may have begun that is not subscribed to the event. */
function endOf(periods: readonly Period[], held: readonly Period[], event: Event): number {
	const later = periods.slice(periods.indexOf(held.at(-1)!) + 1);
	return later.find((period) => !takes(period, event))?.earliest ?? Number.POSITIVE_INFINITY;
}

/**
 * For a webhook, an event happens when it comes into the log. One that came late there, behind a change, is judged by its
 * time, too; where clocks differ by more than lay between it and the change, that tells nothing (ADR 25).
 */
function mayBeAnothers({ logged, clocksApart }: Evidence, { id }: Event, made: number, end: number): boolean {
	return (logged.get(id) ?? 0) >= end && end - made <= clocksApart;
}

/** Each version of a webhook. A request without an answer may have made it, too, where it asked for what that one is. */
function periodsOf({ history }: Evidence, { id, version: last }: Webhook): Period[] {
	const path = `/v1/webhooks/${id}`;
	if (deletionsOf(history).has(path)) return [];
	const changes = history.operations.filter((operation) => {
		if (operation.method === 'GET' || operation.foreign !== undefined || outcome(operation) === 'refused') return false;
		return `${operation.path}/`.startsWith(`${path}/`) || told(operation)?.id === id;
	});
	const unknown = changes.filter((each) => told(each)?.version === undefined);
	const periods: Period[] = [];
	for (let version = 1; version <= last; version++) {
		const operations = changes.filter((operation) => told(operation)?.version === version);
		const shown = operations[0] && told(operations[0]);
		const from = Math.min(...operations.map(({ ended }) => ended!)); // infinite where nobody was told
		const before = periods.at(-1);
		const mayHave = unknown.filter(({ began, body }) => {
			return began <= from && isDeepStrictEqual(body?.events ?? before?.events, shown?.events ?? body?.events);
		});
		const makers = [...operations, ...mayHave].map(({ began }) => began);
		const earliest = Math.max(before?.earliest ?? 0, makers.length > 0 ? Math.min(...makers) : 0);
		if (before) before.latest = from;
		const events = shown && (shown.enabled ? shown.events : []);
		periods.push({ events, from, earliest, latest: Number.POSITIVE_INFINITY, operations });
	}
	return periods;
}

/** The webhook that an answer shows */
function told(operation: Operation): Webhook | undefined {
	const data = outcome(operation) === 'done' ? dataOf<Partial<Webhook>>(operation) : undefined;
	return data?.events === undefined || data.version === undefined ? undefined : (data as Webhook);
}
