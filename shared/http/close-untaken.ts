import { createReadStream } from 'node:fs';
import { readlink } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Looks in a row at which a client has taken nothing; they are counted, for a process that stood still saw nothing meanwhile */
const LOOKS = 6;

/** Where the kernel tells of its connections; a line each, by version of IP */
const TABLES = ['/proc/self/net/tcp', '/proc/self/net/tcp6'];

interface OwnSocket extends Socket {
	/** Node's */
	_handle?: { fd?: number } | null;
}

/** An answer that waits for its client, as it was at the last look */
interface Untaken {
	/** Of all that changes where the client takes something */
	state: string;
	/** How often it was found to be as before */
	looks: number;
}

/**
 * Closes the connections of a server whose client takes nothing of its answer. What it has taken, the kernel tells: Node sees
 * only that there is room for more, which a buffer of 4 MiB has in steps of a third, and nothing of an answer that lies in that
 * buffer whole. Where there is no `/proc`, none of this is told, and the server's own times alone end such connections.
 *
 * They are reset: after a mere end the kernel would keep for minutes what it has for them. What a client has taken is what its
 * kernel acknowledged; one that reads 3 KB a second out of a large buffer of its own may acknowledge it in steps of 100 KB.
 * @param limit ms for which a client may take nothing; it is noticed up to a sixth of that later
 */
export function closeUntaken(server: Server, limit: number): void {
	const connections = new Set<OwnSocket>();
	server.on('connection', (socket: OwnSocket) => {
		if (socket._handle?.fd === undefined) return; // none of the kernel's
		connections.add(socket);
		socket.on('close', () => connections.delete(socket));
	});
	let untaken: Map<OwnSocket, Untaken> = new Map();
	let isLooking = false;
	const looking = setInterval(async () => {
		const address = server.address();
		if (isLooking || connections.size === 0 || address === null || typeof address === 'string') return;
		isLooking = true;
		untaken = await untakenOf(connections, address.port, untaken);
		for (const [socket, { looks }] of untaken) if (looks >= LOOKS) socket.resetAndDestroy();
		isLooking = false;
	}, limit / LOOKS);
	looking.unref();
	server.on('close', () => clearInterval(looking));
}

async function untakenOf(
	connections: ReadonlySet<OwnSocket>,
	port: number,
	before: ReadonlyMap<OwnSocket, Untaken>,
): Promise<Map<OwnSocket, Untaken>> {
	const waiting = await waitingOn(port);
	const now = new Map<OwnSocket, Untaken>();
	if (waiting.size === 0) return now;
	const ports = new Set([...waiting.values()].map(({ remotePort }) => remotePort));
	for (const socket of connections) {
		if (!ports.has(socket.remotePort!)) continue;
		const unacknowledged = waiting.get(await inodeOf(socket))?.unacknowledged;
		if (unacknowledged === undefined) continue;
		const state = [socket.bytesWritten, unacknowledged].join();
		const known = before.get(socket);
		now.set(socket, { state, looks: known?.state === state ? known.looks + 1 : 0 });
	}
	return now;
}

/** A connection whose other side has not acknowledged all that was sent */
interface Waiting {
	remotePort: number;
	/** Bytes, hexadecimal */
	unacknowledged: string;
}

/** By inode. The tables have a line for each connection of the machine: they are read in pieces, so that others have their turns. */
async function waitingOn(port: number): Promise<Map<string | undefined, Waiting>> {
	const own = port.toString(16).toUpperCase().padStart(4, '0');
	const row = new RegExp(
		`:${own} [0-9A-F]+:([0-9A-F]{4}) .. (?!0{8})([0-9A-F]{8}):[0-9A-F]{8} \\S+ \\S+ +\\d+ +\\d+ (\\d+) `,
		'g',
	);
	const waiting = new Map<string, Waiting>();
	for (const table of TABLES) {
		let rest = '';
		try {
			for await (const piece of createReadStream(table, 'latin1')) {
				const end = rest + piece;
				const whole = end.lastIndexOf('\n') + 1;
				for (const [, remote, unacknowledged, inode] of end.slice(0, whole).matchAll(row)) {
					waiting.set(inode!, { remotePort: Number.parseInt(remote!, 16), unacknowledged: unacknowledged! });
				}
				rest = end.slice(whole);
			}
		} catch {
			// There is no such table here
		}
	}
	return waiting;
}

async function inodeOf({ _handle }: OwnSocket): Promise<string | undefined> {
	if (_handle?.fd === undefined) return undefined;
	const link = await readlink(`/proc/self/fd/${_handle.fd}`).catch(() => ''); // closed meanwhile
	return /^socket:\[(\d+)\]$/.exec(link)?.[1];
}
