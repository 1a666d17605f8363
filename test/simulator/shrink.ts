import type { Run, Without } from './run-seed.ts';

/** Worlds that are tried at most: each takes as long as the one that is shrunk */
const MOST = 40;

/**
 * Leaves out faults and clients of a world in which something is wrong, as long as the same is wrong without them: halves
 * first, then single ones. What is left out changes nothing else: each has chance of its own.
 * @param again runs the world without these
 * @returns the smallest run in which it was found, and what was left out for it
 */
export async function shrink(run: Run, again: (without: Without) => Promise<Run>): Promise<[Run, Without]> {
	const { rule } = run.findings[0]!;
	let smallest = run;
	let without: Without = { faults: new Set(), clients: new Set() };
	let tries = 0;
	await leaveOut('clients', run.clients);
	await leaveOut(
		'faults',
		Array.from({ length: run.faults }, (_, index) => index),
	);
	return [smallest, without];

	async function leaveOut<K extends keyof Without>(kind: K, all: unknown[]): Promise<void> {
		for (let size = all.length; size >= 1; size = Math.floor(size / 2)) {
			for (let from = 0; from < all.length; from += size) {
				const part = all.slice(from, from + size).filter((each) => !(without[kind] as Set<unknown>).has(each));
				if (part.length === 0 || ++tries > MOST) continue;
				const fewer = { ...without, [kind]: new Set([...without[kind], ...part]) };
				const shrunk = await again(fewer);
				if (!shrunk.findings.some((finding) => finding.rule === rule)) continue;
				[smallest, without] = [shrunk, fewer];
			}
		}
	}
}
