import { readFileSync } from 'node:fs';

/** ms; Linux counts 100 ticks a second, whatever the kernel's own clock */
const TICK = 10;

/** ms of CPU that processes have used since their start; NaN where there is no /proc. */
export function cpuOf(pids: readonly number[]): number {
	return pids.reduce((sum, pid) => {
		const fields = read(`/proc/${pid}/stat`).split(') ')[1]?.split(' ') ?? [];
		return sum + TICK * (Number(fields[11]) + Number(fields[12]));
	}, 0);
}

/** Resident memory of processes, MiB; NaN where there is no /proc. */
export function memoryOf(pids: readonly number[]): number {
	return pids.reduce((sum, pid) => sum + Number(/VmRSS:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1]) / 1_024, 0);
}

function read(file: string): string {
	try {
		return readFileSync(file, 'utf8');
	} catch {
		return '';
	}
}
