import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { mongo } from 'mongoose';

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

let done = false;

/**
 * Mends the MongoDB driver (7.0 to 7.9 at least): a command that is written to a socket which is closed meanwhile fails.
 *
 * The driver writes a command, and where `write` answers false it waits for the socket's `drain` or `error`. A socket that
 * is destroyed without an error of its own emits neither: one whose end came from the other side a moment ago, one that
 * the driver itself destroys because its answer is overdue. Such a command never ends, and no timeout of the driver's
 * bounds it. Where it is a heartbeat's, the process never looks for its server again.
 */
export function failWritesOnClose(): void {
	if (done) return;
	done = true;
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
