import { ApiError } from '../../../../shared/contract/errors.ts';
import type { TargetGuard } from '../outbound/target-guard.ts';

/** @throws invalid_request where a webhook must not go to this URL (promise W5) */
export async function assertTarget(guard: TargetGuard, url: string): Promise<void> {
	const fault = await guard.check(url);
	if (fault !== undefined) throw new ApiError('invalid_request', fault);
}
