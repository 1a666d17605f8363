import type { Refused } from '../../../shared/contract/refused.ts';
import type { AccountsStore } from '../accounts-store.ts';
import type { KeyRow } from './key.model.ts';

/**
 * A key by its id or hash alone, for operators: whose it is comes from the key, an exception of promise A5.
 * @param which `hash`: SHA-256 of the key, hex
 */
export async function findKey(
	store: AccountsStore,
	which: { key_id: string } | { hash: string },
): Promise<KeyRow | Refused> {
	const filter = 'hash' in which ? { hash: which.hash } : { _id: which.key_id };
	const key = await store.keys.findOne(filter, {}, { everyAccount: true }).lean<KeyRow>();
	return key ?? { refused: 'hash' in which ? 'There is no such key.' : `There is no key ${which.key_id}.` };
}
