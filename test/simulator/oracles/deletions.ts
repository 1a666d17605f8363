import { dataOf, deletionsOf, outcome } from '../workload/history.ts';
import type { Booking, Finding, Oracle } from './evidence.ts';

/** A repeated DELETE is answered `ok` until somebody was told so (X17). */
export const deletions: Oracle = ({ history }) => {
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
};
