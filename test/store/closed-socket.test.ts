import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { mongo } from 'mongoose';
import { driverConnection, failWritesOnClose } from '../../shared/store/cluster/driver-patches.ts';

interface Commands {
	command(ns: unknown, command: object, options: { socketTimeoutMS: number }): Promise<unknown>;
}

const OPTIONS = { id: 1, generation: 0, hostAddress: new mongo.MongoClient('mongodb://x').options.hosts[0] };

describe('A command of the MongoDB driver', () => {
	let server: Server;
	let socket: Socket;
	let connection: Commands;

	beforeEach(async () => {
		failWritesOnClose();
		// It takes connections and never reads.
		server = createServer((accepted) => void accepted.pause().on('error', () => {})).listen(0, '127.0.0.1');
		await once(server, 'listening');
		socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
		await once(socket, 'connect');
		connection = new (driverConnection())(socket, OPTIONS) as unknown as Commands;
	});
	afterEach(() => {
		socket.destroy();
		server.close();
	});

	const run = (command: object) => connection.command({ db: 'admin' }, command, { socketTimeoutMS: 100 });

	test('When its socket was destroyed and the driver does not know yet, then it fails', async () => {
		socket.destroy();
		await expect(run({ hello: 1 })).rejects.toThrow(mongo.MongoNetworkError);
	});

	test('When its socket is destroyed for an overdue answer while the command is still being written, then it fails', async () => {
		await expect(run({ hello: 1, filler: 'x'.repeat(16_000_000) })).rejects.toThrow(mongo.MongoNetworkError);
	});
});
