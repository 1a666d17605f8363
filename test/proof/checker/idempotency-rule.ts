import type { Booking } from '../../../shared/contract/schemas/booking.ts';
import { type History, ofKind } from '../history.ts';
import type { Findings } from './violation.ts';

/**
 * One booking an Idempotency-Key: all successes under one key are the same answer, and one of them at most is the first
 * (the others say that they are replayed). Once a success was answered, no later request under the key is refused, not
 * even where the service was deleted while it was being booked (ADR 6).
 * (That no booking was made beside the answered one is the makers' rule.)
 */
export function checkIdempotency({ operations }: History, findings: Findings): void {
	const keyed = ofKind(operations, 'create').filter(({ asked }) => asked.key !== undefined);
	for (const [key, all] of Map.groupBy(keyed, ({ asked }) => asked.key)) {
		const successes = all.filter(({ outcome }) => outcome === 'ok');
		const answers = new Set(successes.map(({ answered }) => JSON.stringify(answered!.data)));
		if (answers.size > 1) {
			const ids = successes.map(({ answered }) => (answered!.data as Booking).id);
			findings.add(`key ${key} was answered in ${answers.size} ways, with bookings ${[...new Set(ids)].join(', ')}`);
		}
		const first = successes.filter(({ answered }) => !answered!.replayed);
		if (first.length > 1) findings.add(`key ${key} was answered ${first.length} times as if for the first time`);
		const settled = Math.min(...successes.map(({ to }) => to));
		for (const { op, outcome, from, answered } of all) {
			if (outcome !== 'fail' || from <= settled) continue;
			findings.add(`key ${key}: operation ${op} was refused with "${answered!.error}" after a success was answered`);
		}
	}
}
