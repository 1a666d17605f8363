import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceBroker } from 'moleculer';
import type { Config } from '../../shared/config/config.ts';
import type { Program } from '../line/command.ts';
import { operatorName } from './as-operator.ts';
import { type Answer, answerAtOnce, answerHere, execute, printed } from './execute.ts';
import { askAction, askEmbedded } from './reach-process.ts';

/** Joins the cluster as a node of its own. */
type Join = (config: Config) => Promise<ServiceBroker | undefined>;

/** ms between two looks for what follows */
const LOOK_EVERY = 1_000;

/**
 * The answer to a command line of `npm run ops`, but for the REPL.
 * @param configured called where the command needs to know the product that it is for
 * @param join undefined where the bus cannot be reached
 */
export async function runLine(configured: () => Config, join: Join, words: string[]): Promise<Answer> {
	const atOnce = await answerAtOnce(words);
	if (atOnce !== undefined) return atOnce;
	const config = configured();
	const here = await answerHere(programOf(config, join), words);
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
	let answer = await ask(words);
	while ('next' in answer && answer.next !== undefined) {
		process.stdout.write(printed(answer).text);
		await delay(LOOK_EVERY);
		answer = await ask(answer.next);
	}
	return answer;
}

function programOf(config: Config, join: Join): Program {
	return {
		config,
		ask(action, params) {
			if (config.form === 'embedded') return askAction(config.dataDir, action, params, operatorName(config));
			throw new Error('a cluster has its bus');
		},
		join: () => join(config),
	};
}
