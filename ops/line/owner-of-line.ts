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
