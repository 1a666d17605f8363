import type { ServiceBroker } from 'moleculer';
import { call } from '../../shared/bus/call.ts';
import type { Page } from '../../shared/contract/account-reports.ts';
import { isRefused, type Refused } from '../../shared/contract/refused.ts';
import { UsageError } from './command.ts';

/**
 * To be asked before a list of an account's things that may be empty: an operator who reads "no events" of a mistyped
 * account would believe it.
 * @throws UsageError where there is no such account
 */
export async function assertKnownAccount(broker: ServiceBroker, account_id: string): Promise<void> {
	accepted(await call(broker, 'accounts.showAccount', { account_id }));
}

/** Every row of a list that comes in pages. */
export async function allPages<Row, Cursor>(
	read: (after: Cursor | undefined) => Promise<Page<Row, Cursor>>,
): Promise<Row[]> {
	const all: Row[] = [];
	let after: Cursor | undefined;
	for (;;) {
		const { rows, next } = await read(after);
		all.push(...rows);
		if (next === null) return all;
		after = next;
	}
}

/**
 * The answer, where there is one.
 * @throws UsageError with the sentence of a refusal
 */
export function accepted<T extends object>(answer: T | Refused): T {
	if (isRefused(answer)) throw new UsageError(answer.refused);
	return answer;
}
