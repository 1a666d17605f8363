import type { Service } from '../../shared/api/service.ts';
import { call } from '../../shared/call.ts';
import type { Catalog, Request } from './catalog.ts';
import { type ServiceDocument, toService } from './service.model.ts';

/** What a service's answer needs beside its document. */
export type Showing = (service: ServiceDocument) => Service;

/**
 * Fetches the provider and the numbers of bookings, for all services of a page in one call.
 * @returns what shows one of these services
 */
export async function showServices(
	{ providers }: Catalog,
	{ caller }: Request,
	account_id: string,
	service_ids: number[],
): Promise<Showing> {
	const [provider, counts] = await Promise.all([
		providers.of(account_id),
		service_ids.length > 0 ? call(caller, 'booking.counts', { account_id, service_ids }) : {},
	]);
	return (service) => toService(service, provider, (counts as Record<number, number>)[service._id] ?? 0);
}
