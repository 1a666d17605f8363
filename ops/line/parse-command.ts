import { parseArgs } from 'node:util';
import { Malformed } from '../../shared/config/parsers.ts';
import { type Command, type Option, UsageError } from './command.ts';
import { usage } from './help.ts';

export interface ParsedCommand {
	command: Command;
	values: Record<string, unknown>;
	/** Answer with JSON */
	json: boolean;
}

/** Options of every command */
const COMMON = ['json', 'help'];

/**
 * Reads a command line. `help` stands for the help of all commands, or of those that the words begin.
 * @throws UsageError with one sentence
 */
export function parseCommand(commands: readonly Command[], argv: string[]): ParsedCommand | { help: Command[] } {
	const words = argv.filter((word) => !word.startsWith('-'));
	const asksForHelp = argv.includes('--help') || argv.includes('-h') || words[0] === 'help';
	if (!asksForHelp && words.length === 0) assertNoOption(argv);
	if (asksForHelp || words.length === 0) return { help: namedBy(commands, words) };
	const command = commands.find(({ name }) => startsWith(words, name.split(' ')));
	if (command === undefined) throw new UsageError(unknown(commands, words));
	return { command, ...readValues(command, argv) };
}

/** Without a command, only what every command takes: help was not asked for by a mistyped word. */
function assertNoOption(argv: string[]): void {
	const options = argv.map((word) => word.replace(/=.*/s, ''));
	const unknown = options.find((option) => option !== '--' && !COMMON.includes(option.slice(2)));
	if (unknown === undefined) return;
	throw new UsageError(`There is no option ${unknown} without a command; \`help\` lists the commands.`);
}

function namedBy(commands: readonly Command[], words: string[]): Command[] {
	const asked = words[0] === 'help' ? words.slice(1) : words;
	const named = commands.filter(({ name }) => {
		const own = name.split(' ');
		return startsWith(asked, own) || startsWith(own, asked);
	});
	return named.length > 0 ? named : [...commands];
}

function startsWith(words: string[], beginning: string[]): boolean {
	return beginning.every((word, at) => words[at] === word);
}

function unknown(commands: readonly Command[], words: string[]): string {
	const same = commands.filter(({ name }) => name.split(' ')[0] === words[0]);
	if (same.length > 0)
		return `${words[0]} must be followed by ${same.map(({ name }) => name.split(' ')[1]).join(' or ')}.`;
	return `There is no command "${words[0]}"; the commands are ${commands.map(({ name }) => name).join(', ')}.`;
}

function readValues(command: Command, argv: string[]): { values: Record<string, unknown>; json: boolean } {
	const types = Object.entries(command.options).map(([name, option]) => [name, { type: typeOf(option) }] as const);
	const { tokens } = parseArgs({
		args: argv,
		options: { ...Object.fromEntries(types), json: { type: 'boolean' } },
		allowPositionals: true,
		strict: false,
		tokens: true,
	});
	const values: Record<string, unknown> = Object.fromEntries(
		Object.entries(command.options).map(([name, option]) => [name, option.parse ? undefined : false]),
	);
	const given = new Set<string>();
	const positionals: string[] = [];
	for (const token of tokens) {
		if (token.kind === 'positional') positionals.push(token.value);
		if (token.kind !== 'option') continue;
		const option = Object.hasOwn(command.options, token.name) ? command.options[token.name] : undefined;
		if (option === undefined && !COMMON.includes(token.name)) {
			throw new UsageError(`${command.name} has no option ${token.rawName}: ${usage(command)}.`);
		}
		if (given.has(token.name)) throw new UsageError(`${token.rawName} is given twice.`);
		given.add(token.name);
		values[token.name] = optionValue(token.rawName, option, token.value);
	}
	const { json = false, ...own } = values;
	const parameters = readPositionals(command, positionals);
	const lacking = Object.entries(command.options).find(([name, { required }]) => required && !given.has(name));
	if (lacking) throw new UsageError(`${command.name} needs its --${lacking[0]}: ${usage(command)}.`);
	return { values: { ...own, ...parameters }, json: json === true };
}

function typeOf(option: Option): 'string' | 'boolean' {
	return option.parse ? 'string' : 'boolean';
}

function optionValue(name: string, option: Option | undefined, text: string | undefined): unknown {
	if (option?.parse) {
		if (text === undefined) throw new UsageError(`${name} needs a value: ${name} <${option.placeholder}>.`);
		return parse(name, option.parse, text);
	}
	if (text !== undefined) throw new UsageError(`${name} takes no value.`);
	return true;
}

function readPositionals(command: Command, positionals: string[]): Record<string, unknown> {
	const texts = positionals.slice(command.name.split(' ').length);
	const parameters = Object.entries(command.parameters);
	if (texts.length > parameters.length) {
		throw new UsageError(`${command.name} does not take "${texts[parameters.length]}": ${usage(command)}.`);
	}
	return Object.fromEntries(
		parameters.map(([name, parameter], at) => {
			const text = texts[at];
			if (text !== undefined) return [name, parse(name, parameter.parse, text)];
			if (parameter.optional) return [name, undefined];
			throw new UsageError(`${command.name} needs its <${name}>: ${usage(command)}.`);
		}),
	);
}

function parse(name: string, parser: (text: string) => unknown, text: string): unknown {
	try {
		return parser(text);
	} catch (error) {
		if (error instanceof Malformed) throw new UsageError(`${name} ${error.message}.`);
		throw error;
	}
}
