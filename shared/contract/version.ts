import type { IfMatch } from './actions.ts';
import { ApiError } from './errors.ts';

/**
 * The preconditions of a change (contract §4).
 * @throws version_mismatch (412) where `If-Match` names other versions, version_conflict (409) where the body does
 */
export function assertVersion(current: number, ifMatch: IfMatch | undefined, expected: number | undefined): void {
	if (ifMatch !== undefined && ifMatch !== '*' && !ifMatch.includes(current)) throw new ApiError('version_mismatch');
	if (expected !== undefined && expected !== current) throw new ApiError('version_conflict');
}
