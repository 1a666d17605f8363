import { setTimeout as wait } from 'node:timers/promises';
import type { Model } from 'mongoose';
import { bulkWriteErrors, isDuplicateKey, retryDeadlock } from './write-errors.ts';

const ATTEMPTS = 5;

/**
 * Inserts the documents whose unique keys are free and leaves alone what is there, so that several processes may insert
 * the same documents at once, and each may do it again.
 */
export async function insertNew<Row>(model: Model<Row>, documents: readonly Row[]): Promise<void> {
	if (documents.length === 0) return;
	let rest = [...documents];
	for (let attempt = 1; ; attempt++) {
		try {
			await retryDeadlock(() => model.insertMany(rest, { ordered: false, lean: true }));
			return;
		} catch (error) {
			const refused = bulkWriteErrors(error);
			if (refused === undefined) throw error;
			// A server that takes racing inserts of one key for a deadlock has written nothing: these go once more.
			rest = refused.filter((each) => !isDuplicateKey(each)).map(({ index }) => rest[index]!);
			if (rest.length === 0) return;
			if (attempt === ATTEMPTS) throw error;
		}
		await wait(Math.random() * 5 * attempt);
	}
}
