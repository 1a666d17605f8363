import { createWriteStream, existsSync, mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { secretKeyFile } from '../../shared/secrets/secret-key.ts';
import { unfinishedCopy } from '../../shared/store/embedded/copy-database.ts';
import { countDocuments } from '../../shared/store/embedded/count-documents.ts';
import { databaseFile } from '../../shared/store/embedded/database.ts';
import { openedManifest } from '../../shared/store/embedded/open-backup.ts';
import { StoreTooNew } from '../../shared/store/format/format.ts';
import { CommandFailed, type Outcome, UsageError } from '../line/command.ts';
import { auditCopy } from './audit-copy.ts';
import { digest, MANIFEST, type Manifest, readManifest } from './backup-directory.ts';
import { asScratch } from './scratch.ts';

/**
 * Compares a backup with its manifest and audits what is in it, as of the moment of the backup. The audit works on a copy
 * in the system's temporary directory, so that nothing is ever written into the backup.
 * @throws UsageError where there is no such directory, or none to work in; CommandFailed with what is wrong
 */
export async function checkBackup(directory: string): Promise<Outcome> {
	const manifest = manifestIn(directory);
	const { path: scratch, remove } = asScratch(scratchDirectory);
	try {
		await compareFiles(directory, manifest, scratch);
		const { data, text, exitCode } = await auditCopy(scratch, Date.parse(manifest.made_at));
		const whole = `${directory}, of ${manifest.made_at}: whole`;
		return { data: { directory, ...manifest, audit: data }, text: `${whole}\n${text}`, exitCode: exitCode ?? 0 };
	} catch (error) {
		if (error instanceof StoreTooNew) {
			throw new CommandFailed(`${directory} was written by a later release: check it with that one.`);
		}
		const { code, message } = error as { code?: unknown; message: string };
		if (typeof code !== 'string') throw error;
		throw new CommandFailed(`${directory} cannot be checked: ${message}.`); // it cannot be read, is no database, or there is no room
	} finally {
		remove();
	}
}

function scratchDirectory(): string {
	try {
		return mkdtempSync(join(tmpdir(), 'slotwise-check-'));
	} catch (error) {
		throw new UsageError(`TMPDIR cannot be used: ${(error as Error).message}.`);
	}
}

function manifestIn(directory: string): Manifest {
	if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory()) {
		throw new UsageError(`There is no directory ${directory}.`);
	}
	const manifest = readManifest(directory);
	if (typeof manifest === 'string') throw new CommandFailed(manifest);
	if (manifest !== undefined) return manifest;
	if (existsSync(join(directory, openedManifest))) {
		throw new CommandFailed(`${directory} is no backup any more: it was started from since.`);
	}
	const isBegun = [unfinishedCopy, databaseFile].some((file) => existsSync(join(directory, file)));
	if (isBegun) throw new CommandFailed(`${directory} is no finished backup: it has no ${MANIFEST}.`);
	throw new UsageError(`${directory} is no backup: it has no ${MANIFEST}.`);
}

/** Each file is read once: what is compared is what is audited. */
async function compareFiles(directory: string, { files, counts }: Manifest, scratch: string): Promise<void> {
	for (const [name, expected] of Object.entries(files)) {
		const file = join(directory, name);
		if (!existsSync(file)) throw new CommandFailed(`${file} is gone.`);
		const copy = join(scratch, name === databaseFile ? databaseFile : secretKeyFile);
		const found = await digest(file, createWriteStream(copy, { mode: 0o600 }));
		if (!isDeepStrictEqual(found, expected)) {
			throw new CommandFailed(`${file} is not what was backed up: it is damaged, or was started from since.`);
		}
	}
	const found = countDocuments(join(scratch, databaseFile));
	if (!isDeepStrictEqual(found, counts)) throw new CommandFailed(`${directory} does not hold what ${MANIFEST} says.`);
}
