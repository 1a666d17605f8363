import { createHash } from 'node:crypto';
import { closeSync, createReadStream, createWriteStream, lstatSync, openSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { constants, createGunzip, createGzip } from 'node:zlib';
import { syncDirectory } from '../../shared/store/embedded/commit/log-sync.ts';
import { UsageError } from '../line/command.ts';

/*
 * An export: gzip of JSON lines. The first is the header; then for each collection `{"collection": …}` and its documents, in
 * the order of their ids; the last has their numbers, and the SHA-256 of all lines before it.
 */

/** Of the file; an importer reads its own and earlier ones. */
export const FILE_FORMAT = 1;

export interface Header {
	slotwise_export: number;
	/** Of the product */
	version: string;
	/** What the documents are written in: see `shared/store/format` */
	store_format: { version: number; writable_from: number };
	form: 'embedded' | 'cluster';
	made_at: string;
	/** Whether the source took no more changes */
	closed: boolean;
}

/** Documents, by collection */
export type Counts = Record<string, number>;

// biome-ignore lint/suspicious/noExplicitAny: a document of any collection
export type AnyDocument = { _id: string | number } & Record<string, any>;

/** The documents of a collection, some at a time. */
export type Pages = AsyncIterable<AnyDocument[]>;

/** It cannot be read, is not whole, or not ours: one sentence. */
export class BadExport extends Error {}

/**
 * Makes the file that an export is written into before it gets its name: so a name that does not do is refused before anything
 * is done.
 * @returns the draft
 * @throws UsageError where there is such a file, or none can be made
 */
export function claimDraft(file: string): string {
	const draft = `${file}.${process.pid}.unfinished`;
	try {
		if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) {
			throw new UsageError(`${file} is there already: choose another name.`);
		}
		closeSync(openSync(draft, 'wx', 0o600));
		return draft;
	} catch (error) {
		if (error instanceof UsageError) throw error;
		throw new UsageError(`${file} cannot be made: ${(error as Error).message}.`);
	}
}

/**
 * Writes a file that is there only when all of it is on the disk.
 * @param draft as it was claimed
 * @param assertStill throws where what was written holds no more
 */
export async function writeExport(
	file: string,
	draft: string,
	header: Header,
	collections: [string, Pages][],
	assertStill: () => Promise<void>,
): Promise<Counts> {
	const counts: Counts = {};
	// The first level: the others take three times as long, for a fifth less.
	const gzip = createGzip({ level: constants.Z_BEST_SPEED, chunkSize: 1 << 18 });
	const out = createWriteStream(draft, { flags: 'r+', flush: true });
	await pipeline(linesOf(header, collections, counts), gzip, out);
	await assertStill();
	renameSync(draft, file);
	syncDirectory(dirname(file));
	return counts;
}

async function* linesOf(header: Header, collections: [string, Pages][], counts: Counts): AsyncGenerator<string> {
	const hash = createHash('sha256');
	const line = (value: object) => `${JSON.stringify(value)}\n`;
	const hashed = (text: string) => {
		hash.update(text);
		return text;
	};
	yield hashed(line(header));
	for (const [name, pages] of collections) {
		yield hashed(line({ collection: name }));
		counts[name] = 0;
		for await (const page of pages) {
			yield hashed(page.map(line).join(''));
			counts[name] += page.length;
		}
	}
	yield line({ end: counts, sha256: hash.digest('hex') });
}

/** Told what a file holds, in its order. */
export interface Reader {
	header(header: Header): void | Promise<void>;
	document(collection: string, document: AnyDocument): void | Promise<void>;
}

/** Reads a whole file, a line at a time. @throws BadExport where it is not whole, or not an export */
export async function readExport(file: string, reader: Reader): Promise<{ header: Header; counts: Counts }> {
	const hash = createHash('sha256');
	const counts: Counts = {};
	let header: Header | undefined;
	let collection: string | undefined;
	let end: { end: Counts; sha256: string } | undefined;
	for await (const line of lines(file)) {
		if (end !== undefined) throw new BadExport(`${file} goes on after its end.`);
		const value = parsed(line, file);
		if (header === undefined) {
			header = headerIn(value, file);
			await reader.header(header);
		} else if ('_id' in value && collection !== undefined) {
			counts[collection]!++;
			const told = reader.document(collection, value as AnyDocument);
			if (told !== undefined) await told;
		} else if (typeof value.collection === 'string') {
			collection = value.collection;
			counts[collection] = 0;
		} else if ('end' in value) end = value as unknown as typeof end;
		else throw damaged(file);
		if (end === undefined) hash.update(line).update('\n');
	}
	if (header === undefined || end === undefined) throw new BadExport(`${file} is cut short.`);
	const isWhole = JSON.stringify(counts) === JSON.stringify(end.end) && hash.digest('hex') === end.sha256;
	if (!isWhole) throw new BadExport(`${file} is damaged: its checksum is wrong.`);
	return { header, counts };
}

function headerIn(value: Record<string, unknown>, file: string): Header {
	const header = value as unknown as Header;
	if (!Number.isInteger(header.slotwise_export)) throw new BadExport(`${file} is no export of Slotwise.`);
	if (header.slotwise_export > FILE_FORMAT || header.store_format?.version === undefined) {
		throw new BadExport(`${file} was written by a later release of Slotwise: import it with that one.`);
	}
	return header;
}

function parsed(line: Buffer, file: string): Record<string, unknown> {
	try {
		const value: unknown = JSON.parse(line.toString('utf8'));
		if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
	} catch {
		// It is told below.
	}
	throw damaged(file);
}

function damaged(file: string): BadExport {
	return new BadExport(`${file} is damaged, or no export of Slotwise.`);
}

/** Bytes of the longest line that is taken for a document */
const LONGEST = 64 << 20;
const NEWLINE = 10;

async function* lines(file: string): AsyncGenerator<Buffer> {
	const read = createReadStream(file, { highWaterMark: 1 << 18 });
	const unzipped = createGunzip({ chunkSize: 1 << 18 });
	read.on('error', (error) => unzipped.destroy(error));
	let rest: Buffer[] = [];
	let held = 0;
	try {
		for await (const chunk of read.pipe(unzipped) as AsyncIterable<Buffer>) {
			let from = 0;
			for (let to = chunk.indexOf(NEWLINE); to !== -1; to = chunk.indexOf(NEWLINE, from)) {
				yield rest.length === 0 ? chunk.subarray(from, to) : Buffer.concat([...rest, chunk.subarray(from, to)]);
				rest = [];
				held = 0;
				from = to + 1;
			}
			rest.push(chunk.subarray(from));
			held += chunk.length - from;
			if (held > LONGEST) throw damaged(file);
		}
	} catch (error) {
		throw readingFailed(error as NodeJS.ErrnoException, file);
	}
	if (held > 0) throw new BadExport(`${file} is cut short.`);
}

function readingFailed(error: NodeJS.ErrnoException, file: string): Error {
	if (error.code === 'Z_BUF_ERROR') return new BadExport(`${file} is cut short.`);
	if (error.code?.startsWith('Z_')) return damaged(file);
	if (error.syscall !== undefined) return new BadExport(`${file} cannot be read: ${error.message}.`);
	return error;
}
