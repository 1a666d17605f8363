import type { Command } from './command.ts';

/**
 * Whose a line of the REPL is. Where Moleculer has a command of the same first word, as it has `events`, only what follows
 * tells: `events tail` is ours. `help` is both's.
 * @param theirWords first words of Moleculer's commands
 */
export function ownerOfLine(
	line: string,
	commands: readonly Command[],
	theirWords: readonly string[],
): 'ours' | 'theirs' | 'both' {
	const words = line.trim().split(/\s+/);
	const [first, asked] = words[0] === 'help' ? [words[1], true] : [words[0], false];
	if (first === undefined) return 'both';
	const isOurs = commands.some(({ name }) => name.split(' ')[0] === first);
	const isTheirs = theirWords.includes(first);
	if (!isOurs || !isTheirs) return isOurs ? 'ours' : 'theirs';
	if (asked) return 'both';
	return commands.some(({ name }) => name === words.slice(0, name.split(' ').length).join(' ')) ? 'ours' : 'theirs';
}

const QUOTED = /"([^"]*)"|'([^']*)'/g;

/**
 * The words of a line, as a shell reads them: blanks separate, quotes keep together what is between them.
 * @returns undefined where a quote is not closed
 */
export function splitLine(line: string): string[] | undefined {
	if (/["']/.test(line.replace(QUOTED, ''))) return undefined;
	const words = line.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? [];
	return words.map((word) => word.replace(QUOTED, (_, double?: string, single?: string) => double ?? single!));
}
