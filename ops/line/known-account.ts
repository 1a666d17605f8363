import type { ServiceBroker } from 'moleculer';
import { call } from '../../shared/bus/call.ts';
import { accepted } from './accepted.ts';

/**
 * To be asked before a list of an account's things that may be empty: an operator who reads "no events" of a mistyped
 * account would believe it.
 * @throws UsageError where there is no such account
 */
export async function assertKnownAccount(broker: ServiceBroker, account_id: string): Promise<void> {
	accepted(await call(broker, 'accounts.showAccount', { account_id }));
}
