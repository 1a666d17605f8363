import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answered, Asked, DirectoryRecord, FinalState, History, Line, Operation, Outcome } from './history.ts';
import { outcomeOf } from './history.ts';

/** Lines kept in memory before they go to the file */
const BUFFER = 500;

/** The file of a test's history in the directory that `PROOF_HISTORY` names; none where it names none. */
export function keptHistory(name: string): string | undefined {
	const directory = process.env.PROOF_HISTORY;
	if (!directory) return undefined;
	mkdirSync(directory, { recursive: true });
	return join(directory, `${name}.jsonl`);
}

/** Writes a history down while it happens, so that it can be checked again later. */
export class Recorder {
	readonly lines: Line[] = [];
	readonly #now: () => number;
	readonly #file: string | undefined;
	#operations = 0;
	#written = 0;

	/**
	 * @param file JSON lines; none: in memory only
	 * @param now ms of a monotonic clock
	 */
	constructor(file?: string, now: () => number = () => performance.now()) {
		this.#file = file;
		this.#now = now;
		if (file !== undefined) writeFileSync(file, '');
	}

	/** How many operations began. */
	get operations(): number {
		return this.#operations;
	}

	begin(run: { seed: number; form: string; started: string }): void {
		this.#add({ line: 'run', ...run });
	}

	/** To be called before the first byte is sent. @returns the operation's number */
	invoke(client: number, account: string, asked: Asked): number {
		const op = ++this.#operations;
		this.#add({ line: 'invoke', op, client, account, time: this.#now(), asked });
		return op;
	}

	/** To be called after the last byte of the answer. */
	answer(op: number, answered: Answered): Outcome {
		const line = outcomeOf(answered.status);
		this.#add({ line, op, time: this.#now(), answered });
		return line;
	}

	/** No answer came. */
	unknown(op: number, reason: string): void {
		this.#add({ line: 'unknown', op, time: this.#now(), reason });
	}

	fault(fault: string): void {
		this.#add({ line: 'fault', time: this.#now(), fault });
	}

	/** @param time before the first read of it */
	final(state: Omit<FinalState, 'time' | 'until' | 'customers'>, time: number): void {
		this.#add({ line: 'final', ...state, time, until: this.#now() });
		this.flush();
	}

	/** To be called after `final`. */
	directory(account: string, customers: DirectoryRecord[]): void {
		this.#add({ line: 'directory', account, customers });
		this.flush();
	}

	/** The final states that were read so far. */
	finals(): FinalState[] {
		return this.lines.filter((line) => line.line === 'final');
	}

	now(): number {
		return this.#now();
	}

	flush(): void {
		if (this.#file === undefined || this.#written === this.lines.length) return;
		const fresh = this.lines.slice(this.#written);
		appendFileSync(this.#file, fresh.map((line) => `${JSON.stringify(line)}\n`).join(''));
		this.#written = this.lines.length;
	}

	#add(line: Line): void {
		this.lines.push(line);
		if (this.lines.length - this.#written >= BUFFER) this.flush();
	}
}

export function readLines(file: string): Line[] {
	const lines = readFileSync(file, 'utf8').split('\n');
	return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Line);
}

/** The histories of the accounts whose final state was read; the last one counts. An operation that never ended is `unknown`. */
export function toHistories(lines: readonly Line[]): History[] {
	const operations = new Map<number, Operation>();
	const finals = new Map<string, FinalState>();
	const directories = new Map<string, DirectoryRecord[]>();
	const last = lines.reduce((time, line) => ('time' in line ? Math.max(time, line.time) : time), 0);
	for (const line of lines) {
		if (line.line === 'invoke') operations.set(line.op, begun(line, last));
		else if (line.line === 'final') finals.set(line.account, line);
		else if (line.line === 'directory') directories.set(line.account, line.customers);
		else if ('op' in line) Object.assign(operations.get(line.op)!, ended(line));
	}
	const byAccount = Map.groupBy(operations.values(), ({ account }) => account);
	return [...finals.values()].map((final) => ({
		account: final.account,
		operations: byAccount.get(final.account) ?? [],
		final: { ...final, customers: directories.get(final.account) },
	}));
}

function begun(line: Extract<Line, { line: 'invoke' }>, last: number): Operation {
	const { op, client, account, asked, time } = line;
	return {
		op,
		client,
		account,
		asked,
		from: time,
		to: Number.POSITIVE_INFINITY,
		outcome: 'unknown',
		answered: undefined,
		ended: last,
	};
}

function ended(line: Extract<Line, { line: Outcome }>): Partial<Operation> {
	const to = line.line === 'unknown' ? Number.POSITIVE_INFINITY : line.time;
	return { outcome: line.line, to, ended: line.time, answered: line.answered };
}
