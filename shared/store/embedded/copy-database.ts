import { open } from 'node:fs/promises';
import { backup, type DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';

/** A copy's name until all of it is there: a store by this name is never opened */
export const unfinishedCopy = 'slotwise.db.unfinished';

/** Pages of 4 KiB that one step copies: what the store does meanwhile waits for a step, some tenths of a millisecond */
const PAGES_A_STEP = 100;
/** ms between two waits for the disk */
const SYNC_EVERY = 20;
/** `errcode` of a copy whose first or last step met a transaction: Node tries the others again, and calls these "not an error" */
const MET_A_TRANSACTION = 0;
const MOST_TRIES = 100;

/**
 * Copies a database beside its work, as it is at the end of the copying: what its own connection writes meanwhile goes into
 * the copy as well (https://sqlite.org/backup.html). The copy is put on the disk piece by piece: SQLite's last step holds
 * the connection, and does not return before all of the copy is there.
 * @param file is there, and empty: who made it owns it
 * @throws Error where the copy cannot be written; what was written of it is left there
 */
export async function copyDatabase(source: DatabaseSync, file: string): Promise<void> {
	const copy = await open(file, 'r+');
	try {
		if ((await copy.stat()).size > 0) throw new Error(`${file} is not empty`);
		let isCopying = true;
		const copying = copyPages(source, file).finally(() => {
			isCopying = false;
		});
		copying.catch(() => undefined); // it is told below
		while (isCopying) {
			await copy.datasync();
			await Promise.race([copying, delay(SYNC_EVERY)]);
		}
		await copying;
		await copy.sync();
	} finally {
		await copy.close();
	}
}

/** What an earlier try has copied is copied anew. */
async function copyPages(source: DatabaseSync, file: string): Promise<void> {
	for (let tries = 1; ; tries++) {
		try {
			await backup(source, file, { rate: PAGES_A_STEP });
			return;
		} catch (error) {
			if ((error as { errcode?: unknown }).errcode !== MET_A_TRANSACTION || tries === MOST_TRIES) throw error;
		}
	}
}
