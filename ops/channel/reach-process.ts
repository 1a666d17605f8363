import { connect } from 'node:net';
import type { Params, Result } from '../../shared/contract/actions.ts';
import { type AskedAction, CommandFailed } from '../line/command.ts';
import { operatorName } from './as-operator.ts';
import type { Answer } from './execute.ts';
import { SILENCE, socketPath } from './socket-server.ts';

/**
 * Has the running embedded process run a command. It takes as long as it takes, while the process shows that it lives:
 * Ctrl+C ends the waiting.
 */
export async function askEmbedded(dataDir: string, argv: string[], operator = operatorName()): Promise<Answer> {
	try {
		return (await answerOf(dataDir, { argv, operator })) as Answer;
	} catch (error) {
		if (!(error instanceof CommandFailed)) throw error;
		return { exitCode: 1, error: error.message };
	}
}

/**
 * Has the running embedded process carry out an action. It takes as long as it takes.
 * @throws CommandFailed where no process answers, or the action fails
 */
export async function askAction<K extends AskedAction>(
	dataDir: string,
	action: K,
	params: Params<K>,
	operator: string,
): Promise<Result<K>> {
	const answer = (await answerOf(dataDir, { action, params, operator })) as { result: Result<K> } | { error: string };
	if ('error' in answer) throw new CommandFailed(answer.error);
	return answer.result;
}

async function answerOf(dataDir: string, request: object): Promise<unknown> {
	const path = socketPath(dataDir);
	if (path === undefined) {
		throw new CommandFailed('The path of DATA_DIR is too long for a socket in it: choose a shorter one.');
	}
	try {
		const line = await exchange(path, JSON.stringify(request));
		if (line === '') throw new CommandFailed('The process ended before it answered.');
		return JSON.parse(line);
	} catch (error) {
		if (error instanceof CommandFailed) throw error;
		const { code } = error as NodeJS.ErrnoException;
		if (code === 'ENOENT' || code === 'ECONNREFUSED') {
			throw new CommandFailed(`No process is running on DATA_DIR ${dataDir}; start one with \`npm start\`.`);
		}
		if (code === 'EACCES') {
			throw new CommandFailed(`DATA_DIR ${dataDir} belongs to another user: run this command as its owner.`);
		}
		throw new CommandFailed(`The process on DATA_DIR ${dataDir} cannot be reached (${code}).`);
	}
}

function exchange(path: string, request: string): Promise<string> {
	return new Promise((resolve, reject) => {
		const chunks: Buffer[] = [];
		const socket = connect(path, () => socket.write(`${request}\n`));
		socket.on('data', (chunk) => chunks.push(chunk));
		socket.on('end', () => resolve(Buffer.concat(chunks).toString('utf8').trim()));
		socket.on('error', reject);
		socket.setTimeout(SILENCE, () => {
			reject(new CommandFailed(`The process has given no sign of life for ${SILENCE / 1_000} s: it stands still.`));
			socket.destroy();
		});
		socket.on('close', () => resolve(''));
	});
}
