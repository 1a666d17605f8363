import { EVERY_ACCOUNT, logEntry, OperatorLog } from '../../services/accounts/operators/operator-log.ts';
import type { Config } from '../../shared/config/config.ts';
import type { CommandEvent } from '../../shared/contract/account-reports.ts';
import { systemClock, timestamp } from '../../shared/engine/clock.ts';
import { randomBase62 } from '../../shared/engine/ids.ts';
import type { Store } from '../../shared/store/store.ts';
import { operatorName } from '../channel/as-operator.ts';

/** Tells the operator log of a command that works on a store itself, where no process of accounts could be asked. */
export async function recordInStore(
	{ connection }: Store,
	config: Config,
	event: CommandEvent,
	subject: string,
): Promise<void> {
	const who = { actor: 'operator', by: operatorName(config) } as const;
	const entry = { account_id: EVERY_ACCOUNT, at: timestamp(systemClock.now()), event, subject, ...who, details: {} };
	await new OperatorLog(connection).append(logEntry(entry, randomBase62(12)));
}
