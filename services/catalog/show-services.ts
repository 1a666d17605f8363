import type { Service } from '../../shared/contract/schemas/service.ts';
import type { Catalog } from './catalog.ts';
import { type ServiceDocument, toService } from './service.model.ts';

/** What a service's answer needs beside its document. */
export type Showing = (service: ServiceDocument) => Service;

/**
 * Fetches the provider and the numbers of bookings.
 * @returns what shows one of these services
 */
export async function showServices(
	{ providers, bookingCounts }: Catalog,
	account_id: string,
	service_ids: number[],
): Promise<Showing> {
	const [provider, ...counts] = await Promise.all([
		providers.of(account_id),
		...service_ids.map((service_id) => bookingCounts.ask({ account_id, service_id })),
	]);
	const byId = new Map(service_ids.map((service_id, index) => [service_id, counts[index] ?? 0]));
	return (service) => toService(service, provider, byId.get(service._id) ?? 0);
}
