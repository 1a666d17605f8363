import { readdirSync, readFileSync } from 'node:fs';

/** ms of processor time that a process has used, all its threads that are still there; Linux only. */
export function cpuTime(pid: number): number {
	return tasksOf(pid).reduce((sum, task) => {
		const [nanoseconds] = read(`/proc/${pid}/task/${task}/schedstat`).split(' ');
		return sum + Number(nanoseconds) / 1e6;
	}, 0);
}

/** The same of a process and all that descend from it. */
export function cpuTimeOfTree(pid: number): number {
	const children = tasksOf(pid).flatMap((task) =>
		read(`/proc/${pid}/task/${task}/children`).split(' ').filter(Boolean),
	);
	return children.reduce((sum, child) => sum + cpuTimeOfTree(Number(child)), cpuTime(pid));
}

function tasksOf(pid: number): string[] {
	try {
		return readdirSync(`/proc/${pid}/task`);
	} catch {
		return []; // it has ended
	}
}

function read(file: string): string {
	try {
		return readFileSync(file, 'utf8').trim();
	} catch {
		return '';
	}
}
