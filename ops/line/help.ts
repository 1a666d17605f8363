import type { Command } from './command.ts';

/** `audit [<service>] [--repair]`; what is not in brackets must be there */
export function usage({ name, parameters, options }: Command): string {
	return [
		name,
		...Object.entries(parameters).map(([word, { optional }]) => (optional ? `[<${word}>]` : `<${word}>`)),
		...Object.entries(options).map(([word, { placeholder, required }]) => {
			const option = `--${word}${placeholder ? ` <${placeholder}>` : ''}`;
			return required ? option : `[${option}]`;
		}),
	].join(' ');
}

/** What each command does, with its arguments where there is one only. */
export function help(commands: readonly Command[]): string {
	const [only] = commands;
	if (commands.length !== 1 || only === undefined) {
		return [
			'Commands:',
			...commands.map((command) => `  ${usage(command)}\n      ${command.summary}`),
			'',
			'Every command takes --json, and --help for its arguments.',
			'Exit codes: 0 done, 1 it failed or found something, 2 the command line is wrong and nothing was done.',
		].join('\n');
	}
	const explained = [
		...Object.entries(only.parameters).map(([word, { meaning }]) => [`<${word}>`, meaning] as const),
		...Object.entries(only.options).map(([word, { meaning }]) => [`--${word}`, meaning] as const),
		['--json', 'Answer with JSON'] as const,
	];
	const width = Math.max(...explained.map(([word]) => word.length));
	return [
		usage(only),
		`  ${only.summary}`,
		'',
		...explained.map(([word, meaning]) => `  ${word.padEnd(width)}  ${meaning}`),
	].join('\n');
}
