import type { Booking } from '../../shared/contract/schemas/booking.ts';
import type { AnswerLimits } from './checker/answers-rule.ts';
import { checkHistory } from './checker/check-history.ts';
import type { Violation } from './checker/violation.ts';
import type { Line } from './history.ts';
import { ofKind } from './history.ts';
import { toHistories } from './recorder.ts';

/** What a run did, and what the checker says of it. */
export interface Summary {
	operations: number;
	ok: number;
	refused: number;
	unknown: number;
	/** Creations with an Idempotency-Key */
	keyed: number;
	/** By kind of request */
	kinds: Record<string, number>;
	/** Bookings of which a 201 told */
	acknowledged: number;
	events: number;
	/** By kind of fault */
	faults: Record<string, number>;
	violations: (Violation & { account: string })[];
}

export function summarise(lines: readonly Line[], limits?: AnswerLimits): Summary {
	const histories = toHistories(lines);
	const operations = histories.flatMap((history) => history.operations);
	const count = (outcome: string) => operations.filter((operation) => operation.outcome === outcome).length;
	const made = ofKind(operations, 'create').filter(({ outcome }) => outcome === 'ok');
	return {
		operations: operations.length,
		ok: count('ok'),
		refused: count('fail'),
		unknown: count('unknown'),
		keyed: ofKind(operations, 'create').filter(({ asked }) => asked.key !== undefined).length,
		kinds: tally(operations.map(({ asked }) => asked.kind)),
		acknowledged: new Set(made.map(({ answered }) => (answered!.data as Booking).id)).size,
		events: histories.reduce((sum, { final }) => sum + final.events.length, 0),
		faults: tally(lines.flatMap((line) => (line.line === 'fault' ? [line.fault] : []))),
		violations: histories.flatMap((history) =>
			checkHistory(history, limits).map((violation) => ({ account: history.account, ...violation })),
		),
	};
}

export function tally(words: readonly string[]): Record<string, number> {
	const counts: Record<string, number> = {};
	for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
	return counts;
}
