import type { Principal } from '../../../shared/contract/actions.ts';
import { ApiError } from '../../../shared/contract/errors.ts';
import type { Operation } from '../operations/operation.ts';
import type { RefusalRecorder } from './refusal-recorder.ts';

/**
 * Whether the key may do this; that it may not is told to the audit log.
 * @throws account_suspended, insufficient_scope
 */
export function authorize(
	principal: Principal,
	{ id, scope }: Pick<Operation, 'id' | 'scope'>,
	refusals: RefusalRecorder,
): void {
	if (principal.suspended) throw new ApiError('account_suspended');
	if (principal.scopes.includes(scope)) return;
	refusals.record(principal, id, scope);
	throw new ApiError('insufficient_scope');
}
