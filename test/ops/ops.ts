import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { printed } from '../../ops/channel/execute.ts';
import { runLine } from '../../ops/channel/run-line.ts';
import { readConfig } from '../../shared/config/config.ts';
import type { AboveMaximum, Finding } from '../../shared/contract/reports.ts';
import { Child } from '../support/child.ts';
import { peakMemory } from '../support/resident-memory.ts';

/** What runs a command */
export const MAIN = resolve(import.meta.dirname, '../../ops/main.ts');

/** ms: 200,000 bookings of a cluster take minutes */
const AUDIT_LIMIT = 900_000;

export interface Ended {
	code: number;
	stdout: string;
	stderr: string;
}

export interface AuditReport {
	bookings: number;
	places: number;
	findings_count: number;
	repaired_count: number;
	findings: Finding[];
	above_maximum: AboveMaximum[];
}

/** Runs `ops` for the embedded process on a `DATA_DIR`. */
export function ops(dataDir: string, ...words: string[]): Promise<Ended> {
	return opsWith({ DATA_DIR: dataDir }, dataDir, words);
}

/**
 * Runs `ops` as an operator does: as a process of its own.
 * @param directory its working directory
 * @param timeout ms
 */
export function opsWith(
	variables: Record<string, string>,
	directory: string,
	words: string[],
	timeout = 60_000,
): Promise<Ended> {
	return begun(variables, directory, words, timeout).ended;
}

/**
 * What `ops` answers to a line, as `opsWith` tells it, without a process of its own: for tests that only ask what is
 * refused, and how. Of the embedded form; paths must be absolute.
 */
export async function opsHere(variables: Record<string, string>, ...words: string[]): Promise<Ended> {
	const answer = await runLine(
		() => readConfig(variables),
		async () => undefined,
		words,
	);
	const { to, text } = printed(answer);
	return { code: answer.exitCode, stdout: '', stderr: '', [to]: text };
}

/** Runs a command line that goes on until its process is gone. */
export function followed(dataDir: string, line: string): Child {
	const env = { PATH: process.env.PATH ?? '', DATA_DIR: dataDir };
	return new Child(line, process.execPath, [MAIN, ...line.trim().split(' ')], { env, cwd: dataDir });
}

/** The same, with the most that the command had in memory (MB), and how long it took (ms). */
export async function measuredOps(
	variables: Record<string, string>,
	directory: string,
	words: string[],
	timeout: number,
): Promise<Ended & { memory: number; took: number }> {
	const from = performance.now();
	const { pid, ended } = begun(variables, directory, words, timeout);
	const memory = await peakMemory(pid, ended);
	return { ...(await ended), memory, took: performance.now() - from };
}

function begun(variables: Record<string, string>, cwd: string, words: string[], timeout: number) {
	const env = { PATH: process.env.PATH ?? '', ...variables };
	let pid = 0;
	const ended = new Promise<Ended>((done) => {
		const child = execFile(process.execPath, [MAIN, ...words], { env, cwd, timeout }, (error, stdout, stderr) => {
			done({ code: error === null ? 0 : Number(error.code), stdout, stderr });
		});
		pid = child.pid!;
	});
	return { pid, ended };
}

/** The data of an audit, and its exit code. */
export function auditOf(dataDir: string, ...words: string[]): Promise<AuditReport & { code: number }> {
	return auditWith({ DATA_DIR: dataDir }, dataDir, ...words);
}

/** The same of any product. */
export async function auditWith(
	variables: Record<string, string>,
	directory: string,
	...words: string[]
): Promise<AuditReport & { code: number }> {
	const { code, stdout, stderr } = await opsWith(variables, directory, ['audit', ...words, '--json'], AUDIT_LIMIT);
	if (stderr !== '') throw new Error(stderr);
	return { ...(JSON.parse(stdout) as AuditReport), code };
}

/** What was found, with the bookings that it is about: such as `overbooked 7,9`. */
export function kindsOf({ findings }: Pick<AuditReport, 'findings'>): string[] {
	return findings.map(({ kind, booking_ids }) => `${kind} ${booking_ids}`).sort();
}
