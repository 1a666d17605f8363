import type { Config } from '../../shared/config/config.ts';
import { ForeignLog } from '../../shared/store/embedded/open-backup.ts';
import { assertWritable, formatOf, StoreTooNew } from '../../shared/store/format/format.ts';
import { openStore, type StoreOptions } from '../../shared/store/open-store.ts';
import type { Store } from '../../shared/store/store.ts';
import { isUnavailable } from '../../shared/store/write-errors.ts';
import { CommandFailed, UsageError } from '../line/command.ts';

/** How many times as long as for a request MongoDB may take */
const PATIENCE = 10;

/** Opens a store for some work. */
export async function withStore<T>(options: StoreOptions, work: (store: Store) => Promise<T>): Promise<T> {
	const store = await openStore(options);
	try {
		return await work(store);
	} finally {
		await store.close();
	}
}

/**
 * Opens the store of a configuration, to write to it.
 * @throws DataDirInUse; UsageError where a later release wrote it, or it is a backup beside another store's log; CommandFailed where it cannot be reached or read, or is lost
 */
export async function withStoreOf<T>(config: Config, work: (store: Store) => Promise<T>): Promise<T> {
	const { form } = config;
	const options: StoreOptions =
		form === 'embedded'
			? { form, dataDir: config.dataDir, isPassedThrough: true }
			: { form, mongoUrl: config.mongoUrl, namespace: config.namespace, patience: PATIENCE };
	try {
		return await withStore(options, async (store) => {
			assertWritable(await formatOf(store.connection));
			return work(store);
		});
	} catch (error) {
		if (error instanceof StoreTooNew || error instanceof ForeignLog) throw new UsageError(error.message);
		const { code, message } = error as { code?: unknown; message: string };
		if (isUnavailable(error)) throw new CommandFailed(`The store cannot be reached, or takes nothing: ${message}.`);
		if (form !== 'embedded' || typeof code !== 'string') throw error;
		throw new CommandFailed(`The store in DATA_DIR ${config.dataDir} cannot be used: ${message}.`); // no database, damaged
	}
}
