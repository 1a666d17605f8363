import type { Connection } from 'mongoose';
import { Deadline, DeadlinePassed } from '../../work/deadline.ts';
import { eachWrite } from '../each-operation.ts';
import { driverConnection } from './fail-writes-on-close.ts';

/** The driver's commands that write what a request asks for; the first field of a command is its name. */
const WRITES = new Set(['insert', 'update', 'delete', 'findAndModify', 'findandmodify', 'bulkWrite']);

/** As the driver passes it on: it copies the fields of an error into one of its own, so this has none. */
class Late extends Error {}

let patched = false;

/**
 * No write leaves after the deadline that its code runs under. It is looked at when the command is about to be sent, for
 * it may have waited long for a connection of the pool, or the process may have stood still. What was sent before may
 * still land: such a write compares what it changes with what was read, so it undoes nothing newer.
 */
export function refuseLateWrites(connection: Connection): void {
	if (!patched) patchCommand();
	patched = true;
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
