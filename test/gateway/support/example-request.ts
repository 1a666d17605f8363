import type { Operation } from '../../../services/gateway/operations/operation.ts';

const QUERIES: Record<string, string> = {
	listBookings: '?service_id=3&page=1&page_size=20',
	getServiceAvailability: '?from=2026-11-23&to=2026-11-30',
};

/** A request that an operation accepts, from the reference's own examples. */
export function exampleRequest({ id, method, path, body }: Operation): {
	method: string;
	path: string;
	options: { body?: unknown };
} {
	const target = path.replaceAll(/\{[^}]+\}/g, '7') + (QUERIES[id] ?? '');
	return { method, path: target, options: body ? { body: body.example } : {} };
}
