import type { History } from '../history.ts';
import type { Findings } from './violation.ts';

export interface AnswerLimits {
	/** ms that a request takes at most, with the way to the gateway and back; default 11,000 */
	duration?: number;
}

/**
 * Every request is answered in time (contract §1: 10 s) and none with 500. A request whose connection broke has no
 * answer; it must have broken in time as well.
 */
export function checkAnswers({ operations }: History, { duration = 11_000 }: AnswerLimits, findings: Findings): void {
	for (const { op, asked, from, ended, answered } of operations) {
		if (answered?.status === 500) findings.add(`operation ${op} (${asked.kind}) was answered 500`);
		if (ended - from > duration) {
			findings.add(`operation ${op} (${asked.kind}) took ${((ended - from) / 1000).toFixed(1)} s`);
		}
	}
}
