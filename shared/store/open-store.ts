import { type Connection, Mongoose } from 'mongoose';
import { connectCluster } from './cluster/connect-cluster.ts';
import { EmbeddedCollection } from './embedded/collection.ts';
import { EmbeddedConnection } from './embedded/connection.ts';
import type { Store } from './store.ts';

/** KiB of an embedded file that are kept in memory where millions of documents go through once */
const SMALL_CACHE = 16_384;

export type StoreOptions =
	| {
			form: 'embedded';
			/** Directory of the database file; made, for its owner only, when it is missing */
			dataDir: string;
			/** For a command that has millions of documents go through once: little of the file is kept in memory */
			isPassedThrough?: boolean;
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
		? openEmbedded(options.dataDir, options.isPassedThrough ? SMALL_CACHE : undefined)
		: connectCluster(options.mongoUrl, options.namespace, options.patience);
}

/** Opens the store of a `DATA_DIR`: mongoose over a driver of our own, see docs/adr. @throws DataDirInUse */
export async function openEmbedded(dataDir: string, cache?: number): Promise<Store> {
	const mongoose = new Mongoose({ autoIndex: false, autoCreate: false, bufferCommands: false });
	mongoose.setDriver({ Connection: EmbeddedConnection, Collection: EmbeddedCollection, plugins: [] });
	const connection = mongoose.createConnection() as unknown as EmbeddedConnection;
	await connection.openUri(dataDir, cache);
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

/** Whether a connection is to the database file of a `DATA_DIR`. */
export function isEmbedded(connection: Connection): boolean {
	return (connection as unknown) instanceof EmbeddedConnection;
}
