import { type Connection, Mongoose } from 'mongoose';
import { connectCluster } from './cluster/connect-cluster.ts';
import { EmbeddedCollection } from './embedded/collection.ts';
import { EmbeddedConnection } from './embedded/connection.ts';
import type { Store } from './store.ts';

export type StoreOptions =
	| {
			form: 'embedded';
			/** Directory of the database file; made, for its owner only, when it is missing */
			dataDir: string;
	  }
	| {
			form: 'cluster';
			mongoUrl: string;
			/** Name of the database where the URL's path names none */
			namespace: string;
			/** How many times as long as usual MongoDB may take; for tests, which a slow machine must not fail */
			patience?: number;
	  };

/**
 * Opens the store of a process. Every call has a mongoose of its own, so one process can hold several stores.
 *
 * @throws DataDirInUse where another process has the embedded store open
 */
export function openStore(options: StoreOptions): Promise<Store> {
	return options.form === 'embedded'
		? openEmbedded(options.dataDir)
		: connectCluster(options.mongoUrl, options.namespace, options.patience);
}

/** Opens the store of a `DATA_DIR`: mongoose over a driver of our own, see docs/adr. @throws DataDirInUse */
export async function openEmbedded(dataDir: string): Promise<Store> {
	const mongoose = new Mongoose({ autoIndex: false, autoCreate: false, bufferCommands: false });
	mongoose.setDriver({ Connection: EmbeddedConnection, Collection: EmbeddedCollection, plugins: [] });
	const connection = mongoose.createConnection() as unknown as EmbeddedConnection;
	await connection.openUri(dataDir);
	return {
		form: 'embedded',
		connection: connection as unknown as Connection,
		durable: (account) => connection.durable(account === undefined ? undefined : [account, undefined]),
		leaveNoTraces: () => connection.leaveNoTraces(),
		ping: () => connection.ping(),
		copyTo: (file) => connection.copyTo(file),
		close: () => (connection as unknown as Connection).close(),
	};
}
