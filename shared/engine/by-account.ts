import type { Scoped } from '../contract/actions/common.ts';

/**
 * Matches what one read found with the questions of several accounts: whatever is another account's is not there.
 * @param idOf what the question asks for; unique in the collection
 * @param idOfDocument the same, of a document
 * @returns a document or null for each question, in the order of the questions
 */
export function matchOwned<K extends Scoped, D extends Scoped, Id>(
	keys: K[],
	idOf: (key: K) => Id,
	documents: D[],
	idOfDocument: (document: D) => Id,
): (D | null)[] {
	const byId = new Map(documents.map((document) => [idOfDocument(document), document]));
	return keys.map((key) => {
		const document = byId.get(idOf(key));
		return document?.account_id === key.account_id ? document : null;
	});
}

/**
 * Answers a batch of questions account by account, one beside the other. One account's failure is not the others'.
 * @param load answers those of one account, in their order
 * @returns one value or error a question, in the order of the questions
 */
export async function byAccount<K extends Scoped, V>(
	keys: K[],
	load: (account_id: string, keys: K[]) => Promise<V[]>,
): Promise<(V | Error)[]> {
	const answers = new Map<K, V | Error>();
	const groups = Map.groupBy(keys, ({ account_id }) => account_id);
	await Promise.all(
		[...groups].map(async ([account_id, together]) => {
			const values = await load(account_id, together).catch(asError);
			for (const [index, key] of together.entries())
				answers.set(key, values instanceof Error ? values : values[index]!);
		}),
	);
	return keys.map((key) => answers.get(key)!);
}

function asError(error: unknown): Error {
	return error instanceof Error ? error : new Error(String(error));
}
