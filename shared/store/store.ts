import type { Connection } from 'mongoose';

/** Where the documents are. Models are made with `connection.model(name, schema)` and are the same in both forms. */
export interface Store {
	readonly form: 'embedded' | 'cluster';
	readonly connection: Connection;
	/**
	 * What to wait for before anybody outside is told of what `untold` work saw or wrote; undefined where nothing is to be
	 * waited for, as always in a cluster, where each statement waits for itself.
	 * @param account whose documents alone it concerns, or nobody's; undefined: anybody's
	 * @throws StoreUnavailable; @rejects SyncFailed: the disk did not keep it
	 */
	durable(account?: string): Promise<void> | undefined;
	/**
	 * What was removed or overwritten until now leaves the store's files, too. Embedded: its log is emptied, and the room
	 * between rows overwritten, in a pass over the file. A cluster's database
	 * has files of its own.
	 * @throws StoreUnavailable where that is not possible now
	 */
	leaveNoTraces(): Promise<void>;
	/** Rejects where the store cannot answer; within 3 s. */
	ping(): Promise<void>;
	/**
	 * Copies the database as it is at one moment into an empty file, while others write. Embedded only.
	 * @throws Error where the copy cannot be written
	 */
	copyTo?(file: string): Promise<void>;
	/** Ends the connection; running writes end first. */
	close(): Promise<void>;
}
