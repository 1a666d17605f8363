import type { Context } from 'moleculer';
import { ACCOUNTS_CHANGED, type AccountsChanged } from '../../shared/accounts-changed.ts';
import type { Handlers } from '../../shared/actions.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import { isRefused, type Refused } from '../../shared/ops/refused.ts';
import type { AccountsStore } from './accounts-store.ts';
import { createAccount } from './create-account.ts';
import { createKey } from './create-key.ts';
import { listAccounts } from './list-accounts.ts';
import { listKeys } from './list-keys.ts';
import { listPackages } from './list-packages.ts';
import { readLog } from './read-log.ts';
import { recordRefusal } from './record-refusal.ts';
import { revokeKey } from './revoke-key.ts';
import { rollKey } from './roll-key.ts';
import { setAccount } from './set-account.ts';
import { setPackage } from './set-package.ts';
import { showAccount } from './show-account.ts';
import { suspendAccount } from './suspend-account.ts';

type Name =
	| `${'list' | 'show' | 'create' | 'set' | 'suspend'}${'Account' | 'Accounts'}`
	| `${'list' | 'create' | 'revoke' | 'roll'}${'Key' | 'Keys'}`
	| 'listPackages'
	| 'setPackage'
	| 'readLog'
	| 'recordRefusal';

/** What operators do with accounts, keys and plans. A change is told to the gateways at once. */
export function operatorActions(
	store: AccountsStore,
	clock: Clock,
	logger: Logger,
): Pick<Handlers<'accounts'>, Name & keyof Handlers<'accounts'>> {
	/** One that is lost costs 4 s: gateways ask again by themselves. */
	async function announced<T extends object>(
		context: Pick<Context, 'broadcast'>,
		answer: T | Refused,
		changeOf: (answer: T) => AccountsChanged,
	): Promise<T | Refused> {
		if (isRefused(answer)) return answer;
		await context
			.broadcast(ACCOUNTS_CHANGED, changeOf(answer), { groups: ['gateway'] })
			.catch((error: Error) => logger.warn({ reason: error.message }, 'a change of an account was not broadcast'));
		return answer;
	}

	return {
		listAccounts: ({ params }) => listAccounts(store, params.after),
		showAccount: ({ params }) => showAccount(store, params.account_id),
		createAccount: ({ params }) => createAccount(store, clock, params),
		setAccount: async (context) => {
			const { account_id, ...wanted } = context.params;
			return announced(context, await setAccount(store, clock, account_id, wanted), () => ({ account_id }));
		},
		suspendAccount: async (context) => {
			const { account_id, suspended } = context.params;
			return announced(context, await suspendAccount(store, clock, account_id, suspended), () => ({ account_id }));
		},
		listKeys: ({ params }) => listKeys(store, clock, params.account_id, params.after),
		createKey: ({ params }) => createKey(store, clock, params),
		revokeKey: async (context) =>
			announced(context, await revokeKey(store, clock, context.params), ({ account_id }) => ({ account_id })),
		rollKey: async (context) =>
			announced(context, await rollKey(store, clock, context.params), ({ old }) => ({ account_id: old.account_id })),
		listPackages: () => listPackages(store),
		setPackage: async (context) => {
			const { name, figures } = context.params;
			return announced(context, await setPackage(store, clock, name, figures), () => ({ package: name }));
		},
		readLog: ({ params }) => readLog(store, params),
		recordRefusal: async ({ params }) => ({ recorded: await recordRefusal(store, clock, params) }),
	};
}
