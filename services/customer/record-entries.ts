import { setTimeout as wait } from 'node:timers/promises';
import type { DirectoryEntry } from '../../shared/contract/actions.ts';
import { bulkWriteErrors, retryDeadlock } from '../../shared/store/write-errors.ts';
import type { Deadline } from '../../shared/work/deadline.ts';
import { type CustomerDocument, type CustomerModel, toDocument } from './customer.model.ts';

/** ms; before what met another writer is looked at again */
const LONGEST_PAUSE = 10;

/**
 * Brings the directory up to the bookings' versions given. Entries come in any order, late and repeated: the newest
 * version of a booking stays, whoever writes at the same time. Where it throws, some may be recorded: it is to be
 * repeated.
 *
 * @param now ms
 * @throws gateway_timeout, or what the store throws
 */
export async function recordEntries(
	model: CustomerModel,
	entries: DirectoryEntry[],
	now: number,
	deadline: Deadline,
): Promise<void> {
	const documents = newestVersions(entries).map((entry) => toDocument(entry, now));
	const accounts = Map.groupBy(documents, (document) => document.account_id);
	await Promise.all([...accounts].map(([account_id, own]) => recordOf(model, account_id, own, deadline)));
}

function newestVersions(entries: DirectoryEntry[]): DirectoryEntry[] {
	const newest = new Map<number, DirectoryEntry>();
	for (const entry of entries) {
		const version = newest.get(entry.booking_id)?.version ?? 0;
		if (entry.version > version) newest.set(entry.booking_id, entry);
	}
	return [...newest.values()];
}

/** Done with a document means: its write was acknowledged, or a majority read shows this version or a newer one. */
async function recordOf(
	model: CustomerModel,
	account_id: string,
	documents: CustomerDocument[],
	deadline: Deadline,
): Promise<void> {
	for (let open = documents; ; await wait(Math.random() * LONGEST_PAUSE)) {
		const versions = await versionsOf(model, account_id, open);
		const unknown = open.filter((document) => !versions.has(document._id));
		const older = open.filter((document) => (versions.get(document._id) ?? document.version) < document.version);
		deadline.assertTimeLeft();
		const refused = await Promise.all([insertNew(model, unknown), replaceOlder(model, older)]);
		open = refused.flat();
		if (open.length === 0) return;
	}
}

async function versionsOf(
	model: CustomerModel,
	account_id: string,
	documents: CustomerDocument[],
): Promise<Map<number, number>> {
	const ids = documents.map((document) => document._id);
	const found = await model.find({ account_id, _id: { $in: ids } }, { version: 1 }).lean();
	return new Map(found.map((document) => [document._id, document.version]));
}

/** @returns those that the store refused; another writer inserted them meanwhile, or there was a deadlock */
async function insertNew(model: CustomerModel, documents: CustomerDocument[]): Promise<CustomerDocument[]> {
	if (documents.length === 0) return [];
	try {
		await retryDeadlock(() => model.insertMany(documents, { ordered: false, lean: true }));
		return [];
	} catch (error) {
		const refused = bulkWriteErrors(error);
		if (refused === undefined) throw error;
		return refused.map(({ index }) => documents[index]!);
	}
}

/** Compare-and-set. @returns those that another writer brought to this version or a newer one meanwhile */
async function replaceOlder(model: CustomerModel, documents: CustomerDocument[]): Promise<CustomerDocument[]> {
	const replaced = await Promise.all(
		documents.map(async ({ _id, account_id, version, customer, deleted_at }) => {
			const change = { $set: { version, customer, deleted_at } };
			const { matchedCount } = await model.updateOne({ _id, account_id, version: { $lt: version } }, change);
			return matchedCount === 1;
		}),
	);
	return documents.filter((_, index) => !replaced[index]);
}
