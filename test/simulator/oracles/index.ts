import { answers } from './answers.ts';
import { capacity } from './capacity.ts';
import { deadlines } from './deadlines.ts';
import { deletions } from './deletions.ts';
import { effects } from './effects.ts';
import type { Evidence, Finding } from './evidence.ts';
import { holds } from './holds.ts';
import { leftovers } from './leftovers.ts';
import { limits } from './limits.ts';
import { order } from './order.ts';
import { preconditions } from './preconditions.ts';
import { refusals } from './refusals.ts';
import { replay } from './replay.ts';
import { rest } from './rest.ts';
import { subscriptions } from './subscriptions.ts';
import { tenants } from './tenants.ts';
import { whole } from './whole.ts';

const contract = [tenants, capacity, deadlines, effects, order, replay, refusals, answers, deletions, holds];
const around = [preconditions, whole, subscriptions, leftovers, limits, rest];

export function judge(evidence: Evidence): Finding[] {
	return [...contract, ...around].flatMap((oracle) => oracle(evidence));
}
