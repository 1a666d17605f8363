import { closeSync, existsSync, mkdtempSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DataDirInUse, databaseFile } from '../../shared/store/embedded/database.ts';
import { closingOf, QUIET_AFTER, sayClosing } from '../../shared/store/store-gate.ts';
import { CommandFailed, type Outcome, type Program, UsageError } from '../line/command.ts';
import { movedText } from '../tables.ts';
import { type Counts, claimDraft } from './export-file.ts';
import { exportStore } from './export-store.ts';
import { recordInStore } from './record-in-store.ts';
import { asScratch } from './scratch.ts';
import { withStore, withStoreOf } from './with-store.ts';

/** ms that an attempt of a webhook takes at most, and the note of it */
const ATTEMPT = 15_000;

export async function exportAll(program: Program, file: string, close: boolean): Promise<Outcome> {
	const { path: draft, remove } = asScratch(() => claimDraft(file));
	const begun = performance.now();
	const { form } = program.config;
	const to = { file, draft };
	let isClosed = false;
	try {
		if (close) {
			await (form === 'embedded' ? closeEmbedded : closeCluster)(program, file);
			isClosed = true;
		}
		const counts = await (form === 'embedded' ? exportEmbedded : exportCluster)(program, to, close);
		const closed = close ? ' The store is closed: it refuses changes until `reopen`.' : '';
		const moved = movedText(counts, performance.now() - begun);
		return { data: { file, counts, closed: close }, text: `${file}: ${moved}.${closed}` };
	} catch (error) {
		throw isClosed ? stillClosed(failureOf(error)) : failureOf(error);
	} finally {
		remove(); // what was finished has its own name by then
	}
}

function failureOf(error: unknown): unknown {
	const { code, message } = error as { code?: string | number; message: string };
	return String(code).startsWith('E') ? new CommandFailed(`The export could not be written: ${message}.`) : error;
}

/** Nobody would look for the reason why changes are refused in an export that there is not. */
function stillClosed(error: unknown): unknown {
	if (!(error instanceof CommandFailed)) return error;
	return new CommandFailed(
		`${error.message.replace(/\.$/, '')}; the store is closed, and refuses changes until \`reopen\`.`,
	);
}

/** Where an export goes */
interface Target {
	file: string;
	draft: string;
}

async function closeEmbedded(program: Program, file: string): Promise<void> {
	await program.ask('ops.recordCommand', { event: 'store.exported', subject: file });
	await program.ask('ops.closeStore', {});
}

/** A copy of the store is exported: the process goes on meanwhile, and all of the export is of one moment. */
async function exportEmbedded(program: Program, { file, draft }: Target, close: boolean): Promise<Counts> {
	if (!close) await program.ask('ops.recordCommand', { event: 'store.exported', subject: file });
	const { path: dataDir, remove } = asScratch(() => mkdtempSync(join(dirname(file), '.slotwise-export-')));
	try {
		const copy = join(dataDir, databaseFile);
		closeSync(openSync(copy, 'wx', 0o600));
		const copied = await program.ask('ops.copyStore', { file: copy });
		if (copied !== 'ok') throw new CommandFailed(copied.failed);
		return await withStore({ form: 'embedded', dataDir, isPassedThrough: true }, async (store) =>
			exportStore(store, (await closingOf(store.connection)) === 'closed', file, draft),
		);
	} finally {
		remove();
	}
}

async function exportCluster({ config }: Program, { file, draft }: Target): Promise<Counts> {
	return withStoreOf(config, async (store) => {
		const assertClosed = async () => {
			if ((await closingOf(store.connection)) === 'closed') return;
			throw new UsageError('A cluster is exported while it takes no changes: export --close.');
		};
		await assertClosed();
		return exportStore(store, true, file, draft, assertClosed);
	});
}

/**
 * No process can be told for sure, for one may stand still, or not reach the bus: each of them looks every second at what
 * the store says, and writes nothing where it could not. So here it takes the time after which nobody does.
 */
async function closeCluster({ config }: Program, file: string): Promise<void> {
	await withStoreOf(config, async (store) => {
		const { connection } = store;
		if ((await closingOf(connection)) === 'closed') return;
		await recordInStore(store, config, 'store.exported', file);
		await sayClosing(connection, 'quiet');
		await delay(QUIET_AFTER + ATTEMPT);
		await sayClosing(connection, 'closed');
		await delay(QUIET_AFTER);
	});
}

export async function reopen(program: Program): Promise<Outcome> {
	const { config } = program;
	if (config.form === 'embedded' && !existsSync(join(config.dataDir, databaseFile))) {
		throw new UsageError(`There is no store in DATA_DIR ${config.dataDir}.`);
	}
	try {
		await withStoreOf(config, async (store) => {
			const { connection } = store;
			if ((await closingOf(connection)) === 'unfinished') {
				throw new UsageError('An import into this store was not finished: run it again.');
			}
			await recordInStore(store, config, 'store.reopened', 'all');
			await sayClosing(connection, 'open');
		});
	} catch (error) {
		if (!(error instanceof DataDirInUse)) throw error;
		await program.ask('ops.reopenStore', {});
		await program.ask('ops.recordCommand', { event: 'store.reopened', subject: 'all' });
	}
	return {
		data: { closed: false },
		text: 'The store takes changes. Nothing else may serve what was exported from it.',
	};
}
