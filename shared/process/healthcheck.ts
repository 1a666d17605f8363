import { configOrExit } from '../config/config.ts';

/**
 * The health check of the image: asks the process of this container for `/healthz`, or for the path that it is given,
 * such as `/readyz`. It ends with 0 where the answer is 200, else with 1 and the reason.
 */

const PATIENCE = 4_000; // ms; the image gives the whole check 5 s
const ANY_ADDRESS = ['0.0.0.0', '::'];

const { host, port, adminHost, adminPort } = configOrExit();
const asked = adminPort === 'off' ? host : adminHost;
const reachable = ANY_ADDRESS.includes(asked) ? '127.0.0.1' : asked;
const path = process.argv[2] ?? '/healthz';
// Without an admin port only the gateway can be asked, which has these paths on its own port, too.
const url = `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${adminPort === 'off' ? port : adminPort}${path}`;

const answer = await fetch(url, { signal: AbortSignal.timeout(PATIENCE) }).catch((error: Error) => error);
if (answer instanceof Error) finish(1, `${url}: ${(answer.cause as Error | undefined)?.message ?? answer.message}`);
else finish(answer.status === 200 ? 0 : 1, `${url}: ${answer.status} ${await answer.text()}`);

/** Docker keeps what a check printed, and shows it with `docker inspect`. */
function finish(code: number, text: string): void {
	process.stdout.write(`${text}\n`);
	process.exitCode = code;
}
