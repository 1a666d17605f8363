import { dataOf, deletionsOf, errorOf, type Operation, outcome } from '../workload/history.ts';
import type { Booking, Evidence, Finding, Oracle } from './evidence.ts';

/** A repeated DELETE is answered `ok` until somebody was told so (X17); what somebody was told is gone stays gone. */
export const deletions: Oracle = (evidence) => [...repeated(evidence), ...returned(evidence)];

function returned({ history }: Evidence): Finding[] {
	const isMissing = (operation: Operation) => errorOf(operation) === 'booking not found';
	const isShown = ({ method, answer }: Operation) => method !== 'DELETE' && answer?.status === 200;
	const own = history.operations.filter(({ foreign, path }) => foreign === undefined && BOOKING.test(path));
	return [...Map.groupBy(own, ({ path }) => BOOKING.exec(path)![1])].flatMap(([id, operations]) => {
		const ends = operations.filter(isMissing).map(({ ended }) => ended!);
		const later = operations.filter((operation) => isShown(operation) && operation.began > Math.min(...ends));
		if (later.length === 0) return [];
		return [{ rule: 'gone = gone', what: `booking ${id} was not found, and was there later`, operations }];
	});
}

/** A booking, or its customer */
const BOOKING = /^\/v1\/bookings\/(\d+)(?:\/customer)?$/;

function repeated({ history }: Evidence): Finding[] {
	const findings: Finding[] = [];
	const byPath = deletionsOf(history);
	const serviceOf = new Map<string, number>();
	for (const operation of history.operations) {
		const created =
			operation.method === 'POST' && operation.path === '/v1/bookings' ? dataOf<Booking>(operation) : undefined;
		if (created) serviceOf.set(`/v1/bookings/${created.id}`, created.service_id);
	}
	for (const [path, operations] of byPath) {
		const withService = byPath.get(`/v1/services/${serviceOf.get(path)}`) ?? [];
		if (!serviceOf.has(path) && !path.startsWith('/v1/services/') && !path.startsWith('/v1/webhooks/')) continue;
		for (const operation of operations) {
			const { answer, ended } = operation;
			if (answer?.status !== 404) continue;
			const told = operations.some((other) => outcome(other) === 'done' && other.ended! <= ended!);
			if (told || withService.some(({ began }) => began <= ended!)) continue;
			const what = `${path} was not found, and nobody was told that it is deleted`;
			findings.push({ rule: 'a repeated DELETE is ok (X17)', what, operations });
		}
	}
	return findings;
}
