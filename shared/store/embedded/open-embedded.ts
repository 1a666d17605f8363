import { type Connection, Mongoose } from 'mongoose';
import type { Store } from '../store.ts';
import { EmbeddedCollection } from './collection.ts';
import { EmbeddedConnection } from './connection.ts';

/** Opens the store of a `DATA_DIR`: mongoose over a driver of our own, see docs/adr. @throws DataDirInUse */
export async function openEmbedded(dataDir: string): Promise<Store> {
	const mongoose = new Mongoose({ autoIndex: false, autoCreate: false, bufferCommands: false });
	mongoose.setDriver({ Connection: EmbeddedConnection, Collection: EmbeddedCollection, plugins: [] });
	const connection = mongoose.createConnection() as unknown as EmbeddedConnection;
	await connection.openUri(dataDir);
	return {
		form: 'embedded',
		connection: connection as unknown as Connection,
		ping: () => connection.ping(),
		close: () => (connection as unknown as Connection).close(),
	};
}
