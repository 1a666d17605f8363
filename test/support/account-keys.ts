import { type AccountKey, accountKey } from '../../shared/contract/actions/common.ts';

/** A key of an account that a test makes up. */
export function keyOf(...parts: (string | number)[]): AccountKey {
	return accountKey({ account_id: 'acc_test' }, ...parts);
}
