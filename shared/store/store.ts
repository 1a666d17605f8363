import type { Connection } from 'mongoose';

/** Where the documents are. Models are made with `connection.model(name, schema)` and are the same in both forms. */
export interface Store {
	readonly form: 'embedded' | 'cluster';
	readonly connection: Connection;
	/** Rejects where the store cannot answer; within 3 s. */
	ping(): Promise<void>;
	/** Ends the connection; running writes end first. */
	close(): Promise<void>;
}
