import type { Connection } from 'mongoose';
import { productVersion } from '../../shared/process/product-version.ts';
import { formatOf } from '../../shared/store/format/format.ts';
import type { Store } from '../../shared/store/store.ts';
import { boundedMemory } from './bounded-memory.ts';
import { collectionNames, modelsOn } from './collections.ts';
import { type AnyDocument, type Counts, FILE_FORMAT, type Header, type Pages, writeExport } from './export-file.ts';

/** Documents that are read at a time: of the longest, services with a thousand overrides, some 60 MiB */
const PAGE = 250;

/**
 * Writes all that a store holds. Nothing may write to it meanwhile.
 * @param draft of the file, as it was claimed
 * @param assertStill asked when all was read, before the file is there
 */
export async function exportStore(
	{ connection, form }: Store,
	closed: boolean,
	file: string,
	draft: string,
	assertStill: () => Promise<void> = async () => undefined,
): Promise<Counts> {
	const header: Header = {
		slotwise_export: FILE_FORMAT,
		version: productVersion,
		store_format: await formatOf(connection),
		form,
		made_at: new Date().toISOString(),
		closed,
	};
	modelsOn(connection);
	const collections = collectionNames.map((name): [string, Pages] => [name, pagesOf(connection, name)]);
	return writeExport(file, draft, header, collections, assertStill);
}

async function* pagesOf(connection: Connection, name: string): Pages {
	const collection = connection.collection<AnyDocument>(name);
	const done = boundedMemory();
	for (let last: AnyDocument['_id'] | undefined; ; ) {
		const behind = last === undefined ? {} : { _id: { $gt: last } };
		const page = await collection.find(behind as object, { sort: { _id: 1 }, limit: PAGE }).toArray();
		if (page.length > 0) yield page as AnyDocument[];
		done(page.length);
		if (page.length < PAGE) return;
		last = page.at(-1)!._id;
	}
}
