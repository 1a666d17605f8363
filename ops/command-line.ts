import { setTimeout as delay } from 'node:timers/promises';
import { type Config, configOrExit } from '../shared/config/config.ts';
import { operatorName } from './channel/as-operator.ts';
import { type Answer, answerAtOnce, answerHere, execute, printed } from './channel/execute.ts';
import { askAction, askEmbedded } from './channel/reach-process.ts';
import type { Program } from './line/command.ts';

/** `npm run ops -- <command>`, and `npm run repl` as its word `repl`. */

/** ms between two looks for what follows */
const LOOK_EVERY = 1_000;

const argv = process.argv.slice(2);
if (argv[0] === 'repl') await joinWithRepl(configOrExit());
else finish((await answerAtOnce(argv)) ?? (await run(configOrExit(), argv)));

async function run(config: Config, words: string[]): Promise<Answer> {
	const here = await answerHere(programOf(config), words);
	if (here !== undefined) return here;
	const operator = operatorName(config);
	if (config.form === 'embedded') return followed((some) => askEmbedded(config.dataDir, some, operator), words);
	const broker = await join(config);
	if (broker === undefined) return { exitCode: 1, error: 'The bus at NATS_URL cannot be reached.' };
	const answer = await followed((some) => execute(broker, some, operator), words);
	await broker.stop();
	return answer;
}

/** Asks; where the answer says how to go on from it, prints it and does so, until it is an error or somebody ends this. */
async function followed(ask: (words: string[]) => Promise<Answer>, words: string[]): Promise<Answer> {
	process.stdout.on('error', () => process.exit(0)); // nobody reads on: `… --follow | head`
	let answer = await ask(words);
	while ('next' in answer && answer.next !== undefined) {
		process.stdout.write(printed(answer).text);
		await delay(LOOK_EVERY);
		answer = await ask(answer.next);
	}
	return answer;
}

function programOf(config: Config): Program {
	return {
		config,
		ask(action, params) {
			if (config.form === 'embedded') return askAction(config.dataDir, action, params, operatorName(config));
			throw new Error('a cluster has its bus');
		},
		join: () => join(config),
	};
}

async function joinWithRepl(config: Config): Promise<void> {
	if (config.form === 'embedded') {
		finish({ exitCode: 1, error: 'An embedded process has the REPL inside: start it with `npm start -- --repl`.' });
		return;
	}
	const broker = await join(config);
	if (broker === undefined) {
		finish({ exitCode: 1, error: 'The bus at NATS_URL cannot be reached.' });
		return;
	}
	const { startRepl } = await import('./repl.ts');
	startRepl(broker, config, async () => {
		await broker.stop();
		process.exit(0);
	});
}

/**
 * Standard output is the command's: the node that joins logs nothing. What a broker needs is loaded here only: most commands
 * need none.
 */
async function join(config: Config) {
	const { brokerOptions } = await import('../moleculer.config.ts');
	const { createLogger } = await import('../shared/log/log.ts');
	const { joinCluster } = await import('./channel/join-cluster.ts');
	return joinCluster(brokerOptions(config, createLogger({ logLevel: 'silent', logFormat: 'json' })));
}

function finish(answer: Answer): void {
	const { to, text } = printed(answer);
	process[to].write(text, () => process.exit(answer.exitCode));
}
