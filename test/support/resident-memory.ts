import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const EVERY = 50; // ms

/** Whether the kernel tells what a process has in memory. */
export const tellsMemory = existsSync('/proc/self/status');

/** MB that a process has in memory: its heap, and what no limit of the heap bounds. */
function residentMemory(pid: number): number {
	const status = readFileSync(`/proc/${pid}/status`, 'utf8');
	return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)![1]) / 1024;
}

/** The most that a process has in memory while something runs, looked at 20 times a second. */
export async function highestMemory(pid: number, run: () => Promise<unknown>): Promise<number> {
	let highest = residentMemory(pid);
	const running = run().finally(() => {
		highest = -highest; // ends the loop
	});
	while (highest > 0) {
		await Promise.race([delay(EVERY), running.catch(() => {})]);
		if (highest > 0) highest = Math.max(highest, residentMemory(pid));
	}
	await running;
	return Math.max(-highest, residentMemory(pid));
}

/** The most that a process had in memory in all its life (MB), as far as it was seen before its end; 0 where nobody tells. */
export async function peakMemory(pid: number, ended: Promise<unknown>): Promise<number> {
	let isOver = !tellsMemory;
	let peak = 0;
	void ended.then(() => {
		isOver = true;
	});
	while (!isOver) {
		try {
			const status = readFileSync(`/proc/${pid}/status`, 'utf8');
			peak = Math.max(peak, Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024);
		} catch {
			break; // it has ended
		}
		await Promise.race([delay(EVERY), ended]);
	}
	return peak;
}
