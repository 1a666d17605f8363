import { createHash } from 'node:crypto';
import {
	closeSync,
	createReadStream,
	existsSync,
	mkdirSync,
	openSync,
	readdirSync,
	readFileSync,
	renameSync,
	statSync,
	writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { productVersion } from '../../shared/process/product-version.ts';
import { secretKeyFile } from '../../shared/secrets/secret-key.ts';
import { syncDirectory } from '../../shared/store/embedded/commit/log-sync.ts';
import { unfinishedCopy } from '../../shared/store/embedded/copy-database.ts';
import { countDocuments } from '../../shared/store/embedded/count-documents.ts';
import { databaseFile } from '../../shared/store/embedded/database.ts';
import { backupManifest } from '../../shared/store/embedded/open-backup.ts';
import { UsageError } from '../line/command.ts';

/** It is written last: a directory without it is not finished. */
export const MANIFEST = backupManifest;
/** Of the manifest */
const FORMAT = 1;

export interface Manifest {
	format: number;
	/** Of the product */
	version: string;
	/** After which nothing was written that is in it, ISO 8601 */
	made_at: string;
	/** Documents, by collection */
	counts: Record<string, number>;
	files: Record<string, { bytes: number; sha256: string }>;
}

/**
 * Makes the directory, for its owner only, and in it the empty file that the store is copied into: who made that has it to
 * himself.
 * @returns the file
 * @throws UsageError where something is in it, or it cannot be made
 */
export function claimDirectory(directory: string): string {
	const copy = join(directory, unfinishedCopy);
	try {
		makeWithParents(directory);
		const found = readdirSync(directory);
		if (found.length === 0) {
			closeSync(openSync(copy, 'wx', 0o600));
			return copy;
		}
		const what = found.includes(unfinishedCopy) ? 'holds a backup that was not finished' : 'is not empty';
		throw new UsageError(`${directory} ${what}: choose another directory.`);
	} catch (error) {
		if (error instanceof UsageError) throw error;
		throw new UsageError(`${directory} cannot be made: ${(error as Error).message}.`);
	}
}

/** Node's own way never ends where a file system refuses new names with ENOENT, as /proc does. */
function makeWithParents(directory: string): void {
	if (existsSync(directory)) return;
	makeWithParents(dirname(directory));
	mkdirSync(directory, { mode: 0o700 });
}

/**
 * Makes a directory with a copied database a backup, on the disk: key, counts, checksums, and last the manifest.
 * @param key what `secret.key` holds; undefined: the environment has the key
 */
export async function finishBackup(directory: string, key: string | undefined, made_at: string): Promise<Manifest> {
	const copy = join(directory, unfinishedCopy);
	const counts = countDocuments(copy);
	const files: Manifest['files'] = { [databaseFile]: await digest(copy) };
	if (key !== undefined) {
		const file = join(directory, secretKeyFile);
		writeFileSync(file, key, { mode: 0o600, flush: true, flag: 'wx' });
		files[secretKeyFile] = await digest(file);
	}
	const manifest: Manifest = { format: FORMAT, version: productVersion, made_at, counts, files };
	const draft = join(directory, `${MANIFEST}.new`);
	writeFileSync(draft, `${JSON.stringify(manifest, null, '\t')}\n`, { mode: 0o600, flush: true });
	renameSync(copy, join(directory, databaseFile));
	syncDirectory(directory);
	renameSync(draft, join(directory, MANIFEST));
	syncDirectory(directory);
	return manifest;
}

/** @returns a sentence where it cannot be read; undefined where there is none */
export function readManifest(directory: string): Manifest | string | undefined {
	const file = join(directory, MANIFEST);
	if (!existsSync(file)) return undefined;
	try {
		const manifest = JSON.parse(readFileSync(file, 'utf8')) as Manifest;
		if (manifest.format > FORMAT) return `${file} was written by a later release: check it with that one.`;
		const isDated = !Number.isNaN(Date.parse(manifest.made_at));
		if (manifest.format === FORMAT && manifest.files[databaseFile] && manifest.counts && isDated) return manifest;
	} catch {
		// It says nothing that could be read.
	}
	return `${file} is damaged.`;
}

/** What a file holds. @param into where it goes on its way, to be compared and copied at once */
export async function digest(file: string, into?: NodeJS.WritableStream): Promise<{ bytes: number; sha256: string }> {
	const hash = createHash('sha256');
	await pipeline(
		createReadStream(file, { highWaterMark: 1 << 20 }),
		async function* (chunks: AsyncIterable<Buffer>) {
			for await (const chunk of chunks) {
				hash.update(chunk);
				yield chunk;
			}
		},
		into ??
			((async (chunks: AsyncIterable<Buffer>) => {
				for await (const _ of chunks);
			}) as never),
	);
	return { bytes: statSync(file).size, sha256: hash.digest('hex') };
}
