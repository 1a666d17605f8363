import type { Scope } from '../../../shared/contract/actions.ts';
import { type Clock, timestamp } from '../../../shared/engine/clock.ts';
import { isDuplicateKey, retryDeadlock } from '../../../shared/store/write-errors.ts';
import type { AccountsStore } from '../accounts-store.ts';
import { auditEntry } from './operator-log.model.ts';

/** ms in which a key and operation have one entry, over all gateways: who is refused must not fill the log */
const MINUTE = 60_000;

/**
 * Records that a key was refused an operation for want of a scope.
 * @param given `count`: how many requests it was
 * @returns false where this minute has its entry already: to be told again later, with what came meanwhile
 */
export async function recordRefusal(
	store: AccountsStore,
	clock: Clock,
	given: { account_id: string; key_id: string; operation: string; scope: Scope; count: number },
): Promise<boolean> {
	const { account_id, key_id, ...details } = given;
	const now = clock.now();
	const entry = { account_id, at: timestamp(now), event: 'key.refused', subject: key_id, actor: 'gateway' } as const;
	const row = auditEntry({ ...entry, details }, `${given.operation}:${Math.floor(now / MINUTE)}`);
	try {
		await retryDeadlock(() => store.audit.insertMany([row], { lean: true }));
		return true;
	} catch (error) {
		if (isDuplicateKey(error)) return false;
		throw error;
	}
}
