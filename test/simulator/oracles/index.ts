import { answers } from './answers.ts';
import { capacity } from './capacity.ts';
import { deadlines } from './deadlines.ts';
import { effects } from './effects.ts';
import type { Evidence, Finding } from './evidence.ts';
import { order } from './order.ts';
import { refusals } from './refusals.ts';
import { tenants } from './tenants.ts';

export function judge(evidence: Evidence): Finding[] {
	return [tenants, capacity, deadlines, effects, order, refusals, answers].flatMap((oracle) => oracle(evidence));
}
