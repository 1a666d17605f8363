import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');

export interface Instruction {
	name: string;
	/** Comments and line breaks taken out */
	text: string;
}

export interface Stage {
	/** What it is built on, arguments filled in */
	from: string;
	/** Undefined where it has none */
	alias: string | undefined;
	instructions: Instruction[];
}

export interface Copy {
	/** Alias of the stage that the sources come from; undefined: the build's context */
	stage: string | undefined;
	sources: string[];
	target: string;
}

/** The stages of a Dockerfile, as far as ours goes: no heredocs, no escapes but the line's. */
export function readDockerfile(file = resolve(ROOT, 'Dockerfile')): Stage[] {
	const text = readFileSync(file, 'utf8')
		.replace(/^\s*#.*\n/gm, '')
		.replace(/\\\n\s*/g, '');
	const stages: Stage[] = [];
	const args = new Map<string, string>();
	for (const line of text.split('\n').filter((line) => line.trim() !== '')) {
		const [, name = '', rest = ''] = /^(\S+)\s+(.*)$/.exec(line.trim())!;
		if (name === 'FROM') {
			const [from = '', , alias] = rest.split(/\s+/);
			stages.push({ from: from.replace(/\$\{(\w+)\}/g, (_, key) => args.get(key)!), alias, instructions: [] });
		} else if (stages.length === 0) {
			const [key = '', value = ''] = rest.split('=');
			args.set(key, value);
		} else stages.at(-1)!.instructions.push({ name, text: rest });
	}
	return stages;
}

export function copiesOf({ instructions }: Stage): Copy[] {
	return instructions
		.filter(({ name }) => name === 'COPY')
		.map(({ text }) => {
			const words = text.split(/\s+/);
			const stage = words[0]!.startsWith('--from=') ? words.shift()!.slice('--from='.length) : undefined;
			return { stage, sources: words.slice(0, -1), target: words.at(-1)! };
		});
}

/** The text of the last instruction of a name; of an array, such as CMD's, use `JSON.parse`. */
export function lastOf({ instructions }: Stage, name: string): string | undefined {
	return instructions.findLast((instruction) => instruction.name === name)?.text;
}

/** The variables that the image sets. */
export function environmentOf({ instructions }: Stage): Record<string, string> {
	const pairs = instructions.filter(({ name }) => name === 'ENV').flatMap(({ text }) => text.split(/\s+/));
	return Object.fromEntries(pairs.map((pair) => pair.split('=') as [string, string]));
}

/** What `.dockerignore` lets into the context: it names what is allowed, behind `*`. */
export function allowedInContext(): string[] {
	const lines = readFileSync(resolve(ROOT, '.dockerignore'), 'utf8').split('\n');
	return lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
}
