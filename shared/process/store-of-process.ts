import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import type { Logger } from '../log/log.ts';
import { SyncFailed } from '../store/embedded/commit/log-sync.ts';
import { unfinishedCopy } from '../store/embedded/copy-database.ts';
import { DataDirInUse } from '../store/embedded/database.ts';
import { ForeignLog } from '../store/embedded/open-backup.ts';
import { bringForward, StoreTooNew } from '../store/format/format.ts';
import { openStore } from '../store/open-store.ts';
import { whenAvailable } from '../store/prepare-models.ts';
import type { Store } from '../store/store.ts';
import { closingOf } from '../store/store-gate.ts';
import { isUnavailable } from '../store/write-errors.ts';
import { CannotStart } from './cannot-start.ts';

/** ms that a starting process waits for its database: longer than a restart of the database takes */
const PATIENCE = 60_000;

/**
 * Opens the store that the services of this process share; undefined where they are a gateway's only, which has none. A
 * database that starts at the same time, or is busy, is waited for. What an earlier release stored is brought forward.
 *
 * @throws CannotStart where another process has it open, it cannot be reached, its disk fails, or a later release wrote it
 */
export async function openStoreOfProcess(config: Config, logger: Logger): Promise<Store | undefined> {
	if (config.form === 'cluster' && config.services.every((name) => name === 'gateway')) return undefined;
	if (config.form === 'embedded' && existsSync(join(config.dataDir, unfinishedCopy))) {
		throw new CannotStart(`DATA_DIR ${config.dataDir} holds a backup that was not finished: take another one.`, 78);
	}
	const open = () =>
		config.form === 'embedded'
			? openStore({ form: 'embedded', dataDir: config.dataDir })
			: openStore({ form: 'cluster', mongoUrl: config.mongoUrl, namespace: config.namespace });
	try {
		const store = await whenAvailable(open, config.form === 'cluster' ? PATIENCE : 0, (error) =>
			logger.warn({ reason: (error as Error).message }, 'waiting for the database'),
		);
		await assertOpen(store);
		await bringForward(store.connection, logger);
		return store;
	} catch (error) {
		if (error instanceof StoreTooNew || error instanceof ForeignLog) throw new CannotStart(error.message, 78);
		if (error instanceof DataDirInUse) throw new CannotStart(error.message);
		if (config.form === 'embedded' && error instanceof SyncFailed) {
			throw new CannotStart(`DATA_DIR ${config.dataDir}: ${error.message}; check the disk, then start anew.`);
		}
		if (config.form === 'embedded' && (error as { code?: unknown }).code === 'ERR_SQLITE_ERROR') {
			throw new CannotStart(`DATA_DIR ${config.dataDir} holds no store that can be read: ${(error as Error).message}.`);
		}
		if (config.form === 'cluster' && isUnavailable(error)) {
			throw new CannotStart(`MongoDB cannot be reached (${(error as Error).message}); see MONGO_URL.`);
		}
		throw error;
	}
}

/** What was exported closed, and is perhaps served elsewhere by now, takes no changes; what is half there is not served. */
async function assertOpen(store: Store): Promise<void> {
	const closing = await closingOf(store.connection);
	if (closing === 'open') return;
	await store.close();
	throw closing === 'unfinished'
		? new CannotStart('An import into this store was not finished: run `ops import` again.', 78)
		: new CannotStart('The store is closed, because it was exported: `ops reopen` opens it again.');
}
