import { type Config, configOrExit } from '../shared/config/config.ts';
import { type Answer, printed } from './channel/execute.ts';
import { runLine } from './channel/run-line.ts';

/** `npm run ops -- <command>`, and `npm run repl` as its word `repl`. */

process.stdout.on('error', () => process.exit(0)); // nobody reads on: `… --follow | head`
const argv = process.argv.slice(2);
if (argv[0] === 'repl') await joinWithRepl(configOrExit());
else finish(await runLine(configOrExit, join, argv));

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
