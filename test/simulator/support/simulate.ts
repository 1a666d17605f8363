import { execFile } from 'node:child_process';
import { join } from 'node:path';

const main = join(import.meta.dirname, '../main.ts');

/** Runs the simulator's command, in a process of its own: it replaces clocks and chance. */
export function simulate(...args: string[]): Promise<{ code: number; output: string }> {
	return new Promise((resolve) => {
		const command = ['--disable-warning=ExperimentalWarning', main, ...args];
		execFile(process.execPath, command, { maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
			resolve({ code: Number(error?.code ?? 0), output: stdout + stderr });
		});
	});
}
