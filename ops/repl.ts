import type { REPLEval, REPLServer } from 'node:repl';
import type { ServiceBroker } from 'moleculer';
import startMoleculerRepl from 'moleculer-repl';
import type { Config } from '../shared/config/config.ts';
import { operatorName } from './channel/as-operator.ts';
import { execute, printed } from './channel/execute.ts';
import { commands } from './commands.ts';
import { ownerOfLine, splitLine } from './line/repl-line.ts';

/** What Node's REPL calls for a line, and for Tab; its typing does not let them be replaced. */
interface Hooks {
	close(): void;
	eval: REPLEval;
	completer(line: string, done: (error: Error | null, found: [string[], string]) => void): void;
}

/** Moleculer's own words for the end, which stop the broker and not what the process has beside it. */
const ENDS = ['exit', 'quit', 'q'];

/**
 * Moleculer's REPL on a broker, with the operators' commands beside its own. They are not registered with it, for it
 * tells commands apart by their first word and would refuse `events tail` beside its own `events`: a line that is ours is
 * taken out before it reads it.
 * @param stop ends the process; called on Ctrl+D and `exit`
 */
export function startRepl(broker: ServiceBroker, config: Config, stop: () => Promise<void>): void {
	const server = startMoleculerRepl(broker, { delimiter: `${config.namespace} $` } as never) as unknown as REPLServer;
	server.removeAllListeners('exit'); // its own does what ENDS do
	server.on('exit', () => void stop());
	addCommands(server as unknown as Hooks, broker, operatorName(config));
}

function addCommands(hooks: Hooks, broker: ServiceBroker, operator: string): void {
	const theirs = { eval: hooks.eval, completer: hooks.completer };
	let theirWords: string[] = [];
	theirs.completer('', (_, [words]) => {
		theirWords = words; // to an empty line it proposes each command that it has
	});

	hooks.eval = function evaluate(this: REPLServer, line, context, file, done) {
		if (ENDS.includes(line.trim())) {
			hooks.close(); // as Ctrl+D does
			return;
		}
		const owner = ownerOfLine(line, commands, theirWords);
		const ours = () =>
			void answer(line, broker, operator)
				.catch((error: Error) => broker.logger.error(error))
				.finally(() => (done as (error: null) => void)(null)); // with a result, it would print that
		if (owner === 'ours') ours();
		else theirs.eval.call(this, line, context, file, owner === 'both' ? ours : done);
	};

	hooks.completer = (line, done) => {
		const ours = commands.map(({ name }) => name).filter((name) => name.startsWith(line));
		theirs.completer(line, (error, [found, part]) => {
			const fitting = found.filter((one) => one.startsWith(line)); // it proposes all where none fits
			done(error, [ours.length + fitting.length === 0 ? found : [...ours, ...fitting], part]);
		});
	};
}

async function answer(line: string, broker: ServiceBroker, operator: string): Promise<void> {
	const argv = splitLine(line);
	const said =
		argv === undefined
			? ({ exitCode: 2, error: 'A quote is not closed.' } as const)
			: await execute(broker, argv, operator);
	process.stdout.write(printed(said).text);
}
