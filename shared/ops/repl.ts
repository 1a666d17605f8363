import type { REPLServer } from 'node:repl';
import type { ServiceBroker } from 'moleculer';
import startMoleculerRepl from 'moleculer-repl';
import type { Command } from './command.ts';
import { commands } from './commands.ts';
import { execute, printed } from './execute.ts';
import { usage } from './help.ts';

/** What moleculer-repl hands to `parse`: the line's words, behind two that stand for the program. */
interface Parsed {
	parent: { rawArgs: string[] };
	params: { argv: string[] };
}

/**
 * Moleculer's REPL on a broker, with the operators' commands beside its own.
 * @param stop ends the process; called on Ctrl+D
 */
export function startRepl(broker: ServiceBroker, namespace: string, stop: () => Promise<void>): void {
	const server = startMoleculerRepl(broker, {
		delimiter: `${namespace} $`,
		customCommands: [...Map.groupBy(commands, ({ name }) => name.split(' ')[0]!)].map(([word, own]) =>
			entry(word, own),
		),
	} as never) as unknown as REPLServer;
	server.removeAllListeners('exit'); // its own stops the broker only, and not what the process has beside it
	server.on('exit', () => void stop());
}

/** One word may stand for several commands; our own reading of the line tells them apart, as on the command line. */
function entry(word: string, own: Command[]) {
	return {
		command: `${word} [words...]`,
		description: own.map((command) => `${command.summary}: ${usage(command)}`).join('; '),
		allowUnknownOptions: true,
		parse(line: Parsed) {
			line.params = { argv: line.parent.rawArgs.slice(2) };
		},
		async action(broker: ServiceBroker, { argv }: Parsed['params']) {
			const { text } = printed(await execute(broker, argv));
			process.stdout.write(text);
		},
	};
}
