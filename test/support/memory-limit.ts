import { mkdtempSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The kernel's two interfaces, version 1 and 2: where groups of processes are made, and the file with a group's limit */
const INTERFACES = [
	['/sys/fs/cgroup/memory', 'memory.limit_in_bytes'],
	['/sys/fs/cgroup', 'memory.max'],
] as const;

/** A limit of memory as a container has it: the kernel kills what needs more. */
export interface MemoryLimit {
	/** What comes before the command line of a process that is to live in it */
	prefix: string[];
	/** To be called when its processes have ended. */
	remove(): void;
}

/**
 * @param megabytes of its processes together
 * @returns undefined where the kernel lets us make none: only root may, and not in every container
 */
export function limitMemory(megabytes: number): MemoryLimit | undefined {
	for (const [root, limit] of INTERFACES) {
		let group: string | undefined;
		try {
			group = mkdtempSync(join(root, 'test-'));
			// The file is the kernel's; where it is not there, this is no directory of groups.
			writeFileSync(join(group, limit), String(megabytes * 1024 * 1024), { flag: 'r+' });
		} catch {
			if (group !== undefined) rmdirSync(group);
			continue;
		}
		const made = group;
		return {
			prefix: ['/bin/sh', '-c', 'echo $$ >"$0" && exec "$@"', join(made, 'cgroup.procs')],
			remove: () => rmdirSync(made),
		};
	}
	return undefined;
}
