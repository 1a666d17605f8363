import { accountKey } from '../../shared/contract/account-key.ts';
import { boundedCount } from '../../shared/store/bounded-count.ts';
import type { CatalogStore } from './catalog-store.ts';

/** Services of an account that count against its plan; exact up to 10,000. */
export function countServices({ services }: CatalogStore, account_id: string): Promise<number> {
	return boundedCount(services, { account_id, deleted_at: null }, accountKey({ account_id }));
}
