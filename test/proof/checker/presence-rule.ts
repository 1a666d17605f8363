import type { Booking } from '../../../shared/contract/schemas/booking.ts';
import { type History, isKind, ofKind } from '../history.ts';
import type { Chronicle } from './chronicle.ts';
import type { Findings } from './violation.ts';

/**
 * Nothing acknowledged is lost, nothing deleted comes back.
 * - Every booking that a 201 told of, that an event tells of, or that anybody saw is in the final state, in its last
 *   version, unless somebody asked for its deletion and there is an event of it.
 * - A booking whose deletion, or whose service's deletion, was acknowledged is not.
 * - An acknowledged service is in the final state unless its deletion was asked for.
 */
export function checkPresence(history: History, chronicles: Iterable<Chronicle>, findings: Findings): void {
	const closings = ofKind(history.operations, 'delete service').filter(({ outcome }) => outcome !== 'fail');
	const mayBeClosed = new Set(closings.map(({ asked }) => asked.service_id));
	const closed = new Set(closings.filter(({ outcome }) => outcome === 'ok').map(({ asked }) => asked.service_id));
	for (const { id, versions, listed, deletions } of chronicles) {
		const last = versions.at(-1)!;
		if (listed === undefined) {
			if (!last.deleted) findings.add(`booking ${id} is lost: acknowledged or told of, not deleted, and not there`);
		} else if (deletions.length > 0 || last.deleted || closed.has(listed.service_id)) {
			findings.add(`booking ${id} was deleted and is there`);
		} else if (listed.version !== last.number) {
			findings.add(`booking ${id} is there in version ${listed.version}, though version ${last.number} was made`);
		}
	}
	const there = new Set(history.final.services);
	for (const creation of ofKind(history.operations, 'create service')) {
		if (creation.outcome !== 'ok') continue;
		const { id } = creation.answered!.data as { id: number };
		if (!there.has(id) && !mayBeClosed.has(id)) findings.add(`service ${id} is lost`);
		if (there.has(id) && closed.has(id)) findings.add(`service ${id} was deleted and is there`);
	}
	checkAfterClosing(history, findings);
}

/** From the answer to a service's deletion on, nothing of it is shown or made. */
function checkAfterClosing({ operations }: History, findings: Findings): void {
	const closedAt = new Map<number, number>();
	for (const { asked, outcome, to } of ofKind(operations, 'delete service')) {
		if (outcome === 'ok') closedAt.set(asked.service_id, Math.min(to, closedAt.get(asked.service_id) ?? to));
	}
	if (closedAt.size === 0) return;
	for (const operation of operations) {
		const shows = ['create', 'get', 'update'].includes(operation.asked.kind);
		if (!shows || operation.outcome !== 'ok' || operation.answered!.replayed) continue;
		const { id, service_id } = operation.answered!.data as Booking;
		const since = closedAt.get(service_id);
		if (since === undefined || operation.from <= since) continue;
		const verb = isKind(operation, 'create') ? 'made' : 'shown';
		findings.add(`booking ${id} was ${verb} by operation ${operation.op} after its service ${service_id} was deleted`);
	}
}
