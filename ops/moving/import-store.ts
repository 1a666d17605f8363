import type { Connection } from 'mongoose';
import { sealedAnew } from '../../services/notifications/webhooks/store/secrets.ts';
import type { WebhookDocument } from '../../services/notifications/webhooks/store/webhook.model.ts';
import type { SecretBox } from '../../shared/secrets/secret-box.ts';
import { ownFormat, sayFormat } from '../../shared/store/format/format.ts';
import { prepareModels } from '../../shared/store/prepare-models.ts';
import type { Store } from '../../shared/store/store.ts';
import { closingOf, sayClosing } from '../../shared/store/store-gate.ts';
import { CommandFailed, UsageError } from '../line/command.ts';
import { boundedMemory } from './bounded-memory.ts';
import { collectionNames, modelsOn } from './collections.ts';
import { type AnyDocument, BadExport, type Counts, type Header, readExport } from './export-file.ts';

const KNOWN: ReadonlySet<string> = new Set(collectionNames);
/** Documents that are written at a time */
const PAGE = 500;

/**
 * Reads the whole file, before anything is changed.
 * @param box opens what is sealed in it
 * @throws UsageError where it is not whole, of a later release, or has what the box does not open
 */
export async function checkExport(file: string, box: SecretBox | undefined): Promise<Header> {
	const closed: number[] = [];
	const unknown = new Set<string>();
	const done = boundedMemory();
	try {
		const { header } = await readExport(file, {
			header: ({ store_format: { version } }) => {
				if (version <= ownFormat) return;
				throw new BadExport(
					`${file} has the format ${version}, this release ${ownFormat}: import it with a later one.`,
				);
			},
			document(collection, document) {
				done(1);
				if (!KNOWN.has(collection)) unknown.add(collection);
				if (collection !== 'webhooks') return;
				if (box === undefined || sealAnew(box, document) === undefined) closed.push(Number(document._id));
			},
		});
		if (unknown.size > 0)
			throw new BadExport(`${file} has collections that this release does not know: ${[...unknown]}.`);
		if (closed.length === 0) return header;
	} catch (error) {
		throw error instanceof BadExport ? new UsageError(error.message) : error;
	}
	throw new UsageError(
		`The secrets of webhooks ${closed.slice(0, 10).join(', ')} in ${file} are sealed with another SECRET_KEY: ` +
			'name a file that holds it with --secret-key-file.',
	);
}

function sealAnew(box: SecretBox, document: AnyDocument) {
	return sealedAnew(box, document as unknown as WebhookDocument, Date.now());
}

/** @throws UsageError where the store holds anything but the rest of an import that was not finished */
export async function assertEmpty({ connection }: Store): Promise<void> {
	if ((await closingOf(connection)) === 'unfinished') return;
	for (const name of collectionNames) {
		if ((await connection.collection(name).findOne({})) === null) continue;
		throw new UsageError(`The store is not empty: ${name} are in it. An import needs one that was never used.`);
	}
}

/**
 * Fills an empty store. Until the end it says that it is unfinished, and no process starts on it; what an earlier import left
 * is removed first.
 * @param header of the file, which was checked
 * @param record tells the operator log of the import, when everything is there
 */
export async function importStore(
	{ connection }: Store,
	file: string,
	header: Header,
	box: SecretBox,
	record: () => Promise<void>,
): Promise<Counts> {
	const models = modelsOn(connection);
	for (const name of collectionNames) await connection.collection(name).deleteMany({});
	await prepareModels(models); // first: SQLite would sort millions of entries in memory, MongoDB within one request's time
	const loader = new Loader(connection, box);
	const { counts } = await readExport(file, {
		header: () => undefined,
		document: (collection, document) => loader.add(collection, document),
	});
	await loader.flush();
	await assertAllThere(connection, counts);
	await record();
	await sayFormat(connection, header.store_format);
	await sayClosing(connection, 'open');
	return counts;
}

/** Collects documents of one collection, and writes them together. */
class Loader {
	readonly #connection: Connection;
	readonly #box: SecretBox;
	readonly #done = boundedMemory();
	#collection = '';
	#documents: AnyDocument[] = [];

	constructor(connection: Connection, box: SecretBox) {
		this.#connection = connection;
		this.#box = box;
	}

	add(collection: string, document: AnyDocument): Promise<void> | undefined {
		const isFull = collection !== this.#collection || this.#documents.length === PAGE;
		const written = isFull ? this.flush() : undefined;
		this.#collection = collection;
		const sealed = collection === 'webhooks' ? { ...document, ...sealAnew(this.#box, document) } : document;
		this.#documents.push(sealed);
		return written;
	}

	async flush(): Promise<void> {
		const documents = this.#documents;
		this.#documents = [];
		if (documents.length > 0) await this.#connection.collection<AnyDocument>(this.#collection).insertMany(documents);
		this.#done(documents.length);
	}
}

/** Somebody else may have written beside the import. */
async function assertAllThere(connection: Connection, counts: Counts): Promise<void> {
	for (const name of collectionNames) {
		const found = await connection.collection(name).countDocuments({});
		if (found === (counts[name] ?? 0)) continue;
		throw new CommandFailed(
			`${name} has ${found} documents, not ${counts[name]}: somebody else writes there. Import again.`,
		);
	}
}
