import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import type { AboveMaximum, Finding } from '../../shared/contract/reports.ts';

const MAIN = resolve(import.meta.dirname, '../../ops/main.ts');

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
	const env = { PATH: process.env.PATH ?? '', ...variables };
	return new Promise((done) => {
		execFile(process.execPath, [MAIN, ...words], { env, cwd: directory, timeout }, (error, stdout, stderr) => {
			done({ code: error === null ? 0 : Number(error.code), stdout, stderr });
		});
	});
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
	const { code, stdout, stderr } = await opsWith(variables, directory, ['audit', ...words, '--json']);
	if (stderr !== '') throw new Error(stderr);
	return { ...(JSON.parse(stdout) as AuditReport), code };
}

/** What was found, with the bookings that it is about: such as `overbooked 7,9`. */
export function kindsOf({ findings }: Pick<AuditReport, 'findings'>): string[] {
	return findings.map(({ kind, booking_ids }) => `${kind} ${booking_ids}`).sort();
}
