import type { Principal, Scope } from '../../../shared/actions.ts';
import { ApiError } from '../../../shared/errors.ts';

/** @throws account_suspended, insufficient_scope */
export function authorize(principal: Principal, scope: Scope): void {
	if (principal.suspended) throw new ApiError('account_suspended');
	if (!principal.scopes.includes(scope)) throw new ApiError('insufficient_scope');
}
