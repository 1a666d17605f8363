import { Type } from '../../../shared/contract/schemas/schema.ts';
import type { Operation } from './operation.ts';

/** A parameter of the query */
export const DryRun = Type.Optional(
	Type.Boolean({
		description: 'true: nothing is changed, and the answer (200) is what it would be, with its `impact` on bookings',
	}),
);

/**
 * An operation as a request asks for it. A dry run changes nothing, and may read a great deal: so it ends with its client, and
 * it is paid for by what it reads.
 * @param query as it was sent; what is no boolean is refused later
 */
export function asAsked(operation: Operation, query: string): Operation {
	if (operation.dryRun === undefined || new URLSearchParams(query).get('dry_run') !== 'true') return operation;
	const answer = { ...operation.answer, status: 200 as const };
	return { ...operation, answer, readsOnly: true, highResource: true };
}
