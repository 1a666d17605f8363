import { rmSync } from 'node:fs';

/** What is there only for as long as a command runs: copies of a store, with all that it knows of customers */
const scratch = new Set<string>();
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface Scratch {
	path: string;
	remove: () => void;
}

/**
 * Makes a file or directory which is removed where the command is ended by Ctrl+C, SIGTERM or with its terminal; by SIGKILL
 * it stays.
 * @param make answers its path; whatever it throws is thrown
 */
export function asScratch(make: () => string): Scratch {
	if (scratch.size === 0) listen(); // before it is there
	try {
		const path = make();
		scratch.add(path);
		return { path, remove: () => remove(path) };
	} catch (error) {
		if (scratch.size === 0) unlisten();
		throw error;
	}
}

function listen(): void {
	for (const signal of SIGNALS) process.on(signal, endedBy);
}

function unlisten(): void {
	for (const signal of SIGNALS) process.off(signal, endedBy);
}

function endedBy(signal: NodeJS.Signals): void {
	for (const path of scratch) remove(path);
	unlisten();
	process.kill(process.pid, signal); // as it would have ended without us
}

function remove(path: string): void {
	rmSync(path, { recursive: true, force: true });
	scratch.delete(path);
	if (scratch.size === 0) unlisten();
}
