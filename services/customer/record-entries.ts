import { setTimeout as wait } from 'node:timers/promises';
import type { DirectoryEntry } from '../../shared/contract/actions.ts';
import type { Deadline } from '../../shared/work/deadline.ts';
import { type CustomerDocument, type CustomerStore, toDocument } from './customer-store.ts';
import type { FormerCustomers } from './former-customers.ts';

/** ms before a document that met another writer is looked at again */
const LONGEST_PAUSE = 10;

/**
 * Brings the directory up to the bookings' versions given. Entries come in any order, late and repeated: the newest
 * version of a booking stays, whoever writes at the same time. Where it throws, some entries may be recorded: the call is
 * to be repeated.
 *
 * @param now ms
 * @throws gateway_timeout, or what the store throws
 */
export async function recordEntries(
	{ customers, former }: { customers: CustomerStore; former: FormerCustomers },
	entries: DirectoryEntry[],
	now: number,
	deadline: Deadline,
): Promise<void> {
	await former.note(entries, now); // first: what leaves the directory must have been noted
	const documents = newestVersions(entries).map((entry) => toDocument(entry, now));
	const accounts = Map.groupBy(documents, (document) => document.account_id);
	await Promise.all([...accounts].map(([account_id, own]) => recordOf(customers, account_id, own, deadline)));
}

function newestVersions(entries: DirectoryEntry[]): DirectoryEntry[] {
	const newest = new Map<number, DirectoryEntry>();
	for (const entry of entries) {
		const version = newest.get(entry.booking_id)?.version ?? 0;
		if (entry.version > version) newest.set(entry.booking_id, entry);
	}
	return [...newest.values()];
}

/** A document is done once its write was acknowledged, or a majority read shows this version of it or a newer one. */
async function recordOf(
	store: CustomerStore,
	account_id: string,
	documents: CustomerDocument[],
	deadline: Deadline,
): Promise<void> {
	const [made, changed] = [documents.filter(isMade), documents.filter((document) => !isMade(document))];
	let open = [...changed, ...(await store.insertNew(made))]; // nobody wrote of a booking that was made just now, as a rule
	while (open.length > 0) {
		const ids = open.map((document) => document._id);
		const versions = await store.versionsOf(account_id, ids);
		const unknown = open.filter((document) => !versions.has(document._id));
		const older = open.filter((document) => (versions.get(document._id) ?? document.version) < document.version);
		deadline.assertTimeLeft();
		const refused = await Promise.all([store.insertNew(unknown), store.replaceOlder(older)]);
		open = refused.flat();
		if (open.length > 0) await wait(Math.random() * LONGEST_PAUSE);
	}
}

function isMade({ version }: CustomerDocument): boolean {
	return version === 1;
}
