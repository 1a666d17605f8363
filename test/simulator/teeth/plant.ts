import { execFileSync } from 'node:child_process';
import { cpSync, globSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';

const SOURCES = ['services', 'shared', 'ops', 'test/simulator', 'moleculer.config.ts', 'package.json'];

/**
 * A copy of the product with a mistake in it that it once had: the simulator must find it.
 * @param name how the name of a patch in this folder begins
 * @returns the copy's root
 */
export function plant(root: string, name: string): string {
	const [patch] = globSync(`${name}*.patch`, { cwd: import.meta.dirname });
	if (patch === undefined) throw new Error(`no patch ${name}*.patch in ${import.meta.dirname}`);
	const copy = copyOf(root, basename(patch, '.patch'));
	// Not as a part of the repository around it, where `git apply` passes over files that are not its own.
	const env = { ...process.env, GIT_CEILING_DIRECTORIES: join(copy, '..') };
	const file = join(import.meta.dirname, patch);
	execFileSync('git', ['apply', file], { cwd: copy, env, stdio: 'inherit' });
	execFileSync('git', ['apply', '--check', '--reverse', file], { cwd: copy, env, stdio: 'inherit' });
	return copy;
}

const copies: string[] = [];

function removeCopies(): void {
	for (const copy of copies) rmSync(copy, { recursive: true, force: true });
}

/**
 * The product's sources once more, below `node_modules`, so that packages are found from there, until this process ends: another
 * one may have a copy of the same name.
 */
export function copyOf(root: string, name: string): string {
	const copy = join(root, 'node_modules/.cache/slotwise-simulator', `${name}-${process.pid}`);
	rmSync(copy, { recursive: true, force: true });
	if (copies.push(copy) === 1) process.once('exit', removeCopies);
	for (const source of SOURCES) cpSync(join(root, source), join(copy, source), { recursive: true });
	return copy;
}
