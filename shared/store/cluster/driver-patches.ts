import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { type Connection, mongo } from 'mongoose';
import { ApiError } from '../../contract/errors.ts';
import { Deadline, DeadlinePassed } from '../../work/deadline.ts';
import { Reading } from '../../work/reading.ts';
import { eachWrite } from '../each-operation.ts';

/** What is used of the driver's connection, which it does not export. */
interface DriverConnection {
	readonly socket: Socket;
	/** Why it was closed */
	readonly error: Error | null;
	writeCommand(...args: unknown[]): Promise<void>;
	/** @param args namespace, command, options, type of the answer */
	command(...args: unknown[]): Promise<unknown>;
	/** Closes it; commands under way fail with the error. */
	onError(error: Error): void;
}

let failsWrites = false;

/**
 * Mends the MongoDB driver (7.0 to 7.9 at least): a command that is written to a socket which is closed meanwhile fails.
 *
 * The driver writes a command, and where `write` answers false it waits for the socket's `drain` or `error`. A socket that
 * is destroyed without an error of its own emits neither: one whose end came from the other side a moment ago, one that
 * the driver itself destroys because its answer is overdue. Such a command never ends, and no timeout of the driver's
 * bounds it. Where it is a heartbeat's, the process never looks for its server again.
 */
export function failWritesOnClose(): void {
	if (failsWrites) return;
	failsWrites = true;
	const { prototype } = driverConnection();
	const { writeCommand } = prototype;
	prototype.writeCommand = async function (...args) {
		const { socket } = this;
		let onClose = () => {};
		const closed = new Promise<never>((_, reject) => {
			onClose = () => reject(this.error ?? new mongo.MongoNetworkError('the connection was closed during a write'));
			socket.once('close', onClose);
		});
		try {
			await Promise.race([writeCommand.apply(this, args), closed]);
		} finally {
			socket.off('close', onClose);
		}
	};
}

/** Of the driver that mongoose uses; there may be other copies. */
export function driverConnection(): { new (...args: unknown[]): DriverConnection; prototype: DriverConnection } {
	const ofMongoose = createRequire(createRequire(import.meta.url).resolve('mongoose'));
	return ofMongoose('mongodb/lib/cmap/connection.js').Connection;
}

/** The driver's commands that write what a request asks for; the first field of a command is its name. */
const WRITES = new Set(['insert', 'update', 'delete', 'findAndModify', 'findandmodify', 'bulkWrite']);

/** As the driver passes it on: it copies the fields of an error into one of its own, so this has none. */
class Late extends Error {}

let refusesLateWrites = false;

/**
 * No write leaves after the deadline that its code runs under. It is looked at when the command is about to be sent, for
 * it may have waited long for a connection of the pool, or the process may have stood still. What was sent before may
 * still land: such a write compares what it changes with what was read, so it undoes nothing newer.
 */
export function refuseLateWrites(connection: Connection): void {
	if (!refusesLateWrites) patchCommand();
	refusesLateWrites = true;
	eachWrite(connection, (written) => {
		const deadline = Deadline.current();
		return deadline === undefined ? written : written.catch((error) => tell(error, deadline));
	});
}

function patchCommand(): void {
	const { prototype } = driverConnection();
	const { command } = prototype;
	prototype.command = async function (...args) {
		const name = Object.keys(args[1] as object)[0]!;
		if (WRITES.has(name) && (Deadline.current()?.remaining() ?? 1) <= 0) throw new Late();
		return command.apply(this, args);
	};
}

function tell(error: unknown, deadline: Deadline): never {
	const wrapped = (error as { errorResponse?: unknown } | null)?.errorResponse; // an `insertMany` wraps it
	throw error instanceof Late || wrapped instanceof Late ? new DeadlinePassed(deadline) : error;
}

/** The driver's commands that read, and take `maxTimeMS`; a `find` is answered at once, so there is no `getMore`. */
const READS = new Set(['find', 'aggregate', 'count', 'distinct']);
/** MongoDB's code of a command that took longer than its `maxTimeMS` */
const TOOK_TOO_LONG = 50;
/** ms that the answer of a read that nobody waits for has: most are there by then, and to lose a connection is dear */
const GRACE = 25;

let endsUnwantedReads = false;

/**
 * A read of a request ends when nobody waits for it any more. Its command tells the server what is left of its deadline
 * when it leaves, so the server stops it then. Where the client has gone, its connection is closed, which makes MongoDB
 * stop what it does for it; a server that does not look at that goes on until the deadline, but keeps nobody here.
 */
export function endUnwantedReads(): void {
	if (endsUnwantedReads) return;
	endsUnwantedReads = true;
	const { prototype } = driverConnection();
	const { command } = prototype;
	prototype.command = function (...args) {
		const reading = Reading.current();
		const asked = args[1] as Record<string, unknown>;
		if (reading === undefined || !READS.has(Object.keys(asked)[0]!)) return command.apply(this, args);
		const left = reading.remaining();
		if (left <= 0) return Promise.reject(new ApiError('gateway_timeout'));
		const [namespace, , ...others] = args;
		const limited = Number.isFinite(left) ? { ...asked, maxTimeMS: Math.ceil(left) } : asked;
		const answer = command.call(this, namespace, limited, ...others);
		let isThere = false;
		const cut = () => isThere || this.onError(new ApiError('gateway_timeout'));
		reading.onEnd(() => isThere || setTimeout(cut, GRACE));
		return answer
			.catch((error) => {
				const isLate = error instanceof mongo.MongoServerError && error.code === TOOK_TOO_LONG;
				throw isLate ? new ApiError('gateway_timeout') : error;
			})
			.finally(() => {
				isThere = true;
			});
	};
}
