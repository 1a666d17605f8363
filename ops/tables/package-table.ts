import type { PackageReport } from '../../shared/contract/account-reports.ts';
import { table } from './table.ts';

/** Plans with their figures. */
export function packageTable(packages: PackageReport[]): string {
	const shown = (figure: number | null) => figure ?? 'none';
	return table(
		['package', 'rate/s', 'burst', 'requests/month', 'bookings/month', 'services', 'overages', 'changed'],
		packages.map(({ name, rate, burst, requests, bookings, services, overages, updated_at }) => [
			name,
			...[rate, burst, requests, bookings, services].map(shown),
			overages ? 'yes' : 'no',
			updated_at,
		]),
	);
}
