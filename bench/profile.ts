import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/**
 * Where the processor's time went, from the CPU profiles that `npm run bench -- --profile <directory>` leaves: self time by
 * function, and by package or folder of the product. Idle time is not part of it; time in native code (sockets, SQLite,
 * JSON) is with the function that called it.
 *
 *   node bench/profile.ts <directory> [<rows>]
 */
interface Profile {
	nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
	samples: number[];
	/** µs since the sample before */
	timeDeltas: number[];
}

const [directory = '.', rows = '25'] = process.argv.slice(2);
const IDLE = ['(idle)', '(root)'];

for (const file of globSync(join(directory, '*.cpuprofile'))) {
	const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, 'utf8')) as Profile;
	const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
	const functions = new Map<string, number>();
	const places = new Map<string, number>();
	let total = 0;
	samples.forEach((id, index) => {
		const { functionName, url, lineNumber } = frames.get(id)!;
		if (IDLE.includes(functionName)) return;
		const time = timeDeltas[index]!;
		total += time;
		const place = placeOf(url, functionName);
		add(functions, `${functionName || '(anonymous)'} ${place} ${basename(url)}:${lineNumber + 1}`, time);
		add(places, place, time);
	});
	process.stdout.write(`\n${basename(file)}: ${(total / 1e6).toFixed(1)} s of CPU\n`);
	print(places, total);
	process.stdout.write('\n');
	print(functions, total);
}

/** A package, or a folder of the product. */
function placeOf(url: string, functionName: string): string {
	if (url === '') return functionName.startsWith('(') ? functionName : 'native';
	const path = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
	if (path !== undefined) return path;
	if (url.startsWith('node:')) return url;
	return /\/((?:services|shared)\/[^/]+)/.exec(url)?.[1] ?? basename(url);
}

function add(sums: Map<string, number>, name: string, time: number): void {
	sums.set(name, (sums.get(name) ?? 0) + time);
}

function print(sums: Map<string, number>, total: number): void {
	const sorted = [...sums].sort(([, a], [, b]) => b - a).slice(0, Number(rows));
	for (const [name, time] of sorted)
		process.stdout.write(`${((100 * time) / total).toFixed(1).padStart(5)} %  ${name}\n`);
}
