import type { Result } from '../../shared/contract/actions.ts';
import type { CatalogStore } from './catalog-store.ts';
import type { ServiceDocument } from './service.model.ts';

/** Whose a service is that is not deleted, by its id alone: for operators. */
export async function findAnyService(
	{ services }: CatalogStore,
	service_id: number,
): Promise<Result<'catalog.findService'>> {
	const service = await services
		.findOne({ _id: service_id, deleted_at: null })
		.select({ account_id: 1 })
		.setOptions({ everyAccount: true })
		.lean<Pick<ServiceDocument, 'account_id'>>();
	return service && { account_id: service.account_id };
}
