import type { Refused } from '../../shared/ops/refused.ts';
import type { AccountsStore } from './accounts-store.ts';
import type { KeyRow } from './key.model.ts';

/** A key by its id alone, for operators: whose it is comes from the key, an exception of musts A5. */
export async function findKey(store: AccountsStore, key_id: string): Promise<KeyRow | Refused> {
	const key = await store.keys.findOne({ _id: key_id }, {}, { everyAccount: true }).lean<KeyRow>();
	return key ?? { refused: `There is no key ${key_id}.` };
}
