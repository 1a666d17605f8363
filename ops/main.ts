import { brokerOptions } from '../moleculer.config.ts';
import { type Config, configOrExit } from '../shared/config/config.ts';
import { createLogger } from '../shared/log/log.ts';
import { type Answer, answerAtOnce, execute, printed } from './channel/execute.ts';
import { askEmbedded, joinCluster } from './channel/reach-process.ts';

/** `npm run ops -- <command>`, and `npm run repl` as its word `repl`. */

const argv = process.argv.slice(2);
if (argv[0] === 'repl') await joinWithRepl(configOrExit());
else finish((await answerAtOnce(argv)) ?? (await run(configOrExit(), argv)));

async function run(config: Config, words: string[]): Promise<Answer> {
	if (config.form === 'embedded') return askEmbedded(config.dataDir, words);
	const broker = await join(config);
	if (broker === undefined) return { exitCode: 1, error: 'The bus at NATS_URL cannot be reached.' };
	const answer = await execute(broker, words);
	await broker.stop();
	return answer;
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
	startRepl(broker, config.namespace, async () => {
		await broker.stop();
		process.exit(0);
	});
}

/** Standard output is the command's: the node that joins logs nothing. */
function join(config: Config) {
	return joinCluster(brokerOptions(config, createLogger({ logLevel: 'silent', logFormat: 'json' })));
}

function finish(answer: Answer): void {
	const { to, text } = printed(answer);
	process[to].write(text, () => process.exit(answer.exitCode));
}
