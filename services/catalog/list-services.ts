import type { Params, Result } from '../../shared/contract/actions.ts';
import { pagination } from '../../shared/contract/schemas/pagination.ts';
import type { Catalog } from './catalog.ts';
import { countServices } from './count-services.ts';
import { openService } from './creation/open-service.ts';
import { pageWindow } from './page-window.ts';
import type { ServiceDocument } from './service.model.ts';
import { showServices } from './show-services.ts';

/** The account's services by id. Each one carries its provider: a hundred with the longest texts stay below 512 KiB. */
export async function listServices(
	catalog: Catalog,
	params: Params<'catalog.listServices'>,
): Promise<Result<'catalog.listServices'>> {
	const { services } = catalog.store;
	const { account_id, page, page_size, after } = params;
	const filter = { account_id, deleted_at: null };
	const window = pageWindow(page, page_size, after);
	const [total, rows] = await Promise.all([
		countServices(catalog.store, account_id),
		window
			? services
					.find({ ...filter, _id: { $gt: window.after } })
					.sort({ _id: 1 })
					.skip(window.skip)
					.limit(window.limit)
					.lean<ServiceDocument[]>()
			: [],
	]);
	await Promise.all(rows.map((service) => openService(catalog.store, service)));
	const ids = rows.map((service) => service._id);
	const show = await showServices(catalog, account_id, ids);
	return { services: rows.map(show), pagination: pagination(page, page_size, total) };
}
