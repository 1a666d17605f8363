import type { LimitsReport, ProcessReport } from '../reports.ts';

/** What a process tells of itself: ask each one by its node. */
export interface ProcessActions {
	/** Of the process that answers: every process has it. */
	'ops.process': { params: Record<string, never>; result: ProcessReport };
	/** Of the gateway that answers. */
	'gateway.limits': { params: Record<string, never>; result: LimitsReport };
}
