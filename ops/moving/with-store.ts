import type { Config } from '../../shared/config/config.ts';
import { openStore, type StoreOptions } from '../../shared/store/open-store.ts';
import type { Store } from '../../shared/store/store.ts';
import { isUnavailable } from '../../shared/store/write-errors.ts';
import { CommandFailed } from '../line/command.ts';

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

/** Opens the store of a configuration. @throws DataDirInUse; CommandFailed where it cannot be reached, or is lost meanwhile */
export async function withStoreOf<T>(config: Config, work: (store: Store) => Promise<T>): Promise<T> {
	const { form } = config;
	const options: StoreOptions =
		form === 'embedded'
			? { form, dataDir: config.dataDir }
			: { form, mongoUrl: config.mongoUrl, namespace: config.namespace, patience: PATIENCE };
	try {
		return await withStore(options, work);
	} catch (error) {
		if (!isUnavailable(error)) throw error;
		throw new CommandFailed(`The store cannot be reached, or takes nothing: ${(error as Error).message}.`);
	}
}
