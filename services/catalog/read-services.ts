import type { Params, Result, ServiceKey } from '../../shared/contract/actions.ts';
import { ApiError } from '../../shared/contract/errors.ts';
import { pagination } from '../../shared/contract/schemas/pagination.ts';
import { NO_RULES } from '../../shared/contract/schemas/rules.ts';
import type { Service } from '../../shared/contract/schemas/service.ts';
import type { Catalog } from './catalog.ts';
import type { CatalogStore } from './catalog-store.ts';
import { finishService } from './finish-service.ts';
import { pageWindow } from './page-window.ts';
import { type ServiceDocument, toService } from './service.model.ts';

/**
 * The service as it is now, with its slots as they belong to it.
 * @throws service_not_found, also where it is deleted or another account's
 */
export async function findService(
	store: CatalogStore,
	account_id: string,
	service_id: number,
): Promise<ServiceDocument> {
	const service = await store.services.find(account_id, service_id);
	if (!service || service.deleted_at !== null) throw new ApiError('service_not_found');
	await finishService(store, service);
	return service;
}

/** @throws service_not_found */
export async function getService(
	catalog: Catalog,
	{ account_id, service_id }: Params<'catalog.getService'>,
): Promise<Service> {
	const [service, show] = await Promise.all([
		findService(catalog.store, account_id, service_id),
		showServices(catalog, account_id, [service_id]),
	]);
	return show(service);
}

/** The account's services by id. Each one carries its provider: forty with the longest texts stay below 512 KiB. */
export async function listServices(
	catalog: Catalog,
	params: Params<'catalog.listServices'>,
): Promise<Result<'catalog.listServices'>> {
	const { store } = catalog;
	const { account_id, page, page_size, after } = params;
	const window = pageWindow(page, page_size, after);
	const [total, rows] = await Promise.all([
		store.services.count(account_id),
		window ? store.services.list(account_id, window) : [],
	]);
	await Promise.all(rows.map((service) => finishService(store, service)));
	const ids = rows.map((service) => service._id);
	const show = await showServices(catalog, account_id, ids);
	return { services: rows.map(show), pagination: pagination(page, page_size, total) };
}

/** A report with the longest name takes 1.2 kB. */
const REPORTS_A_PIECE = 200;

/** The account's services by id, for operators. */
export async function reportServices(
	store: CatalogStore,
	{ account_id, after }: Params<'catalog.serviceReports'>,
): Promise<Result<'catalog.serviceReports'>> {
	const services = await store.services.list(account_id, pageWindow(1, REPORTS_A_PIECE, after)!);
	const rows = services.map(async (service) => {
		await finishService(store, service);
		const { _id: id, name, timezone, rules = NO_RULES } = service;
		return { id, name, timezone, slots: await store.slots.count({ account_id, service_id: id }), rules };
	});
	const next = services.length < REPORTS_A_PIECE ? null : services.at(-1)!._id;
	return { rows: await Promise.all(rows), next };
}

/** Whether each is a service of its account now, in the order asked. Those that are have active slots from here on. */
export function areServices(store: CatalogStore, keys: ServiceKey[]): Promise<boolean[]> {
	return Promise.all(
		keys.map(({ account_id, service_id }) =>
			findService(store, account_id, service_id).then(
				() => true,
				(error) => {
					if (error instanceof ApiError && error.type === 'service_not_found') return false;
					throw error;
				},
			),
		),
	);
}

/**
 * Fetches what an answer shows of a service beside its document: the provider and the number of bookings.
 * @returns what shows one of these services
 */
export async function showServices(
	{ providers, bookingCounts }: Catalog,
	account_id: string,
	service_ids: number[],
): Promise<(service: ServiceDocument) => Service> {
	const [provider, ...counts] = await Promise.all([
		providers.of(account_id),
		...service_ids.map((service_id) => bookingCounts.ask({ account_id, service_id })),
	]);
	const byId = new Map(service_ids.map((service_id, index) => [service_id, counts[index] ?? 0]));
	return (service) => toService(service, provider, byId.get(service._id) ?? 0);
}
