import { connect } from 'node:net';
import { hostname } from 'node:os';
import { type BrokerOptions, ServiceBroker } from 'moleculer';
import type { Answer } from './execute.ts';
import { socketPath } from './socket-server.ts';

/** Has the running embedded process run a command. It takes as long as it takes: Ctrl+C ends the waiting. */
export async function askEmbedded(dataDir: string, argv: string[]): Promise<Answer> {
	const path = socketPath(dataDir);
	if (path === undefined) return failed(`The path of DATA_DIR is too long for a socket in it: choose a shorter one.`);
	try {
		const line = await exchange(path, JSON.stringify({ argv }));
		if (line === '') return failed('The process ended before it answered.');
		return JSON.parse(line) as Answer;
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		if (code === 'ENOENT' || code === 'ECONNREFUSED') {
			return failed(`No process is running on DATA_DIR ${dataDir}; start one with \`npm start\`.`);
		}
		if (code === 'EACCES') return failed(`DATA_DIR ${dataDir} belongs to another user: run this command as its owner.`);
		return failed(`The process on DATA_DIR ${dataDir} cannot be reached (${code}).`);
	}
}

function failed(error: string): Answer {
	return { exitCode: 1, error };
}

function exchange(path: string, request: string): Promise<string> {
	return new Promise((resolve, reject) => {
		const chunks: Buffer[] = [];
		const socket = connect(path, () => socket.write(`${request}\n`));
		socket.on('data', (chunk) => chunks.push(chunk));
		socket.on('end', () => resolve(Buffer.concat(chunks).toString('utf8').trim()));
		socket.on('error', reject);
		socket.on('close', () => resolve(''));
	});
}

const CONNECTED_WITHIN = 10_000; // ms; a bus that is there takes one, on a busy machine several

/**
 * Joins the bus of a running cluster as a node without services.
 * @param options of a process of this cluster
 * @returns undefined where the bus cannot be reached
 */
export async function joinCluster(options: BrokerOptions): Promise<ServiceBroker | undefined> {
	const broker = new ServiceBroker({
		...options,
		nodeID: `ops-${hostname()}-${process.pid}`,
		tracking: { enabled: false },
	});
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<false>((resolve) => {
		timer = setTimeout(() => resolve(false), CONNECTED_WITHIN);
	});
	const connected = await Promise.race([broker.start().then(() => true), late]);
	clearTimeout(timer);
	return connected ? broker : undefined;
}
