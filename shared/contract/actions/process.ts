import type { CommandEvent } from '../account-reports.ts';
import type { LimitsReport, ProcessReport } from '../reports.ts';

/** What a process tells of itself: ask each one by its node. */
export interface ProcessActions {
	/** Of the process that answers: every process has it. */
	'ops.process': { params: Record<string, never>; result: ProcessReport };
	/** Copies the store of an embedded process, while it serves, into an empty file. */
	'ops.copyStore': { params: { file: string }; result: 'ok' | { failed: string } };
	/** Of an embedded process: tells the operator log of a command that concerns its whole store. */
	'ops.recordCommand': { params: { event: CommandEvent; subject: string }; result: 'ok' };
	/** An embedded process ends what it sends and writes, and refuses changes. Resolves when nothing is under way. */
	'ops.closeStore': { params: Record<string, never>; result: 'ok' };
	'ops.reopenStore': { params: Record<string, never>; result: 'ok' };
	/** Of the gateway that answers. */
	'gateway.limits': { params: Record<string, never>; result: LimitsReport };
}
