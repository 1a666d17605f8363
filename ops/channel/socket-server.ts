import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { ServiceBroker } from 'moleculer';
import { call } from '../../shared/bus/call.ts';
import type { Logger } from '../../shared/log/log.ts';
import type { CommandServer } from '../../shared/process/dependencies.ts';
import { standstill } from '../../shared/process/standstill.ts';
import type { AskedAction } from '../line/command.ts';
import { asOperator } from './as-operator.ts';
import { type Answer, execute } from './execute.ts';

/** Bytes that a Unix socket's address takes on every system, with its closing zero */
const LONGEST_ADDRESS = 103;
/** Bytes of a request */
const LONGEST = 64 * 1024;
/** ms: a day */
const AS_LONG_AS_IT_TAKES = 24 * 3_600_000;
const OWNER_ONLY = 0o600;
/** ms between two signs of life, empty lines, while a command is carried out */
const BEAT = 2_000;
/** ms without a sign of life after which a command gives up: this process counts as one that stands still */
export const SILENCE = 10_000;

/**
 * Runs the commands of operators for an embedded process: JSON lines over a Unix socket that only its owner may open,
 * one request (`{"argv": […], "operator": …}`, or an action of the process with its params), one answer. The caller owns the store in `dataDir`, so a socket that is there is a
 * dead process'.
 * @returns undefined where there can be none; the process serves without it, and the log says why
 */
export async function serveCommands(
	dataDir: string,
	broker: ServiceBroker,
	logger: Logger,
): Promise<CommandServer | undefined> {
	const path = socketPath(dataDir);
	if (path === undefined) {
		logger.warn('the path of DATA_DIR is too long for a socket in it: no operators’ commands');
		return undefined;
	}
	const open = new Set<Socket>();
	const server = createServer((socket) => {
		standstill.connected();
		open.add(socket);
		socket.once('close', () => open.delete(socket));
		serve(socket, broker, logger);
	});
	server.maxConnections = 10;
	try {
		rmSync(path, { force: true });
		await listen(server, path);
	} catch (error) {
		logger.warn({ err: error }, 'no socket for operators’ commands');
		return undefined;
	}
	return {
		close() {
			server.close(); // takes the socket's file away as well
			for (const socket of open) socket.destroy();
		},
	};
}

/** The file is made within `listen`, and for nobody else from the first moment on. */
async function listen(server: Server, path: string): Promise<void> {
	const listening = new Promise<void>((resolve, reject) => server.once('listening', resolve).once('error', reject));
	const mask = process.umask(0o177);
	try {
		server.listen(path);
	} finally {
		process.umask(mask);
	}
	await listening;
	chmodSync(path, OWNER_ONLY);
}

function serve(socket: Socket, broker: ServiceBroker, logger: Logger): void {
	socket.on('error', () => socket.destroy());
	socket.on('data', () => {
		if (socket.bytesRead > LONGEST) socket.destroy();
	});
	const lines = createInterface({ input: socket });
	lines.on('error', () => undefined); // it repeats the socket's: a command that is killed before it has read its answer resets it
	lines.once('line', async (line) => {
		const waited = standstill.age();
		if (waited >= SILENCE) {
			const error = `The process stood still for ${Math.round(waited / 1_000)} s, and has not carried this out.`;
			socket.end(`${JSON.stringify({ exitCode: 1, error } satisfies Answer)}\n`); // whoever asked may have given up
			return;
		}
		const beat = () => socket.write('\n');
		beat();
		const beats = setInterval(beat, BEAT);
		socket.once('close', () => clearInterval(beats));
		const answer = await answerTo(line, broker).catch((error: unknown) => {
			logger.error({ err: error }, 'an operator’s command failed');
			return { exitCode: 1, error: 'It failed; the log of the process has the rest.' } satisfies Answer;
		});
		clearInterval(beats);
		socket.end(`${JSON.stringify(answer)}\n`);
	});
}

async function answerTo(line: string, broker: ServiceBroker): Promise<Answer | { result: unknown }> {
	const { argv, action, params, operator: said } = requestIn(line);
	const operator = typeof said === 'string' ? said : 'unknown';
	if (Array.isArray(argv) && argv.every((word) => typeof word === 'string')) return execute(broker, argv, operator);
	if (typeof action === 'string' && isAsked(action) && typeof params === 'object') {
		return {
			result: await call(asOperator(broker, operator), action, params as never, { timeout: AS_LONG_AS_IT_TAKES }),
		};
	}
	return { exitCode: 2, error: 'A request is {"argv": […]}.' };
}

function isAsked(action: string): action is AskedAction {
	return action.startsWith('ops.');
}

function requestIn(line: string): { argv?: unknown; action?: unknown; params?: unknown; operator?: unknown } {
	try {
		return Object(JSON.parse(line));
	} catch {
		return {};
	}
}

/** Where the embedded process listens for operators, as short as it can be said; undefined where it is still too long. */
export function socketPath(dataDir: string): string | undefined {
	const path = join(resolve(dataDir), 'ops.sock');
	return [path, relative(process.cwd(), path)].find((one) => Buffer.byteLength(one) <= LONGEST_ADDRESS);
}
