import type { Context } from 'moleculer';
import type { LogCursor, LogEntry, Page } from '../../../shared/contract/account-reports.ts';
import { ACCOUNTS_CHANGED, type AccountsChanged } from '../../../shared/contract/actions/accounts.ts';
import type { Handlers, Params } from '../../../shared/contract/actions.ts';
import { isRefused, type Refused } from '../../../shared/contract/refused.ts';
import { type Clock, timestamp } from '../../../shared/engine/clock.ts';
import { randomBase62 } from '../../../shared/engine/ids.ts';
import type { Logger } from '../../../shared/log/log.ts';
import type { AccountsStore } from '../accounts-store.ts';
import { createAccount, listAccounts, setAccount, showAccount, suspendAccount } from './account-actions.ts';
import { createKey, listKeys, revokeKey, rollKey } from './key-actions.ts';
import { EVERY_ACCOUNT, logEntry, operatorOf, toLogEntry, type Who } from './operator-log.ts';
import { listPlans, setPlan } from './plan-actions.ts';

/** What operators do with accounts, keys and plans. The gateways are told of a change at once. */
export function operatorActions(store: AccountsStore, clock: Clock, logger: Logger) {
	/**
	 * Counts a change, so that whoever believes what was before finds out within 4 s, and tells the gateways of it at once. Also
	 * where nothing was left to change: then it may be the repetition of one that was made and not counted.
	 * @throws where it cannot be counted: then it is not acknowledged
	 */
	async function announced<T extends object>(
		context: Pick<Context, 'broadcast'>,
		answer: T | Refused,
		changeOf: (answer: T) => AccountsChanged,
	): Promise<T | Refused> {
		if (isRefused(answer)) return answer;
		await store.changes.nextIds(1);
		await context
			.broadcast(ACCOUNTS_CHANGED, changeOf(answer), { groups: ['gateway'] })
			.catch((error: Error) => logger.warn({ reason: error.message }, 'a change of an account was not broadcast'));
		return answer;
	}

	return {
		listAccounts: ({ params }) => listAccounts(store, params.after),
		showAccount: ({ params }) => showAccount(store, params.account_id),
		createAccount: (context) => createAccount(store, clock, context.params, operatorOf(context)),
		setAccount: async (context) => {
			const { account_id, ...wanted } = context.params;
			return announced(context, await setAccount(store, clock, account_id, wanted, operatorOf(context)), () => ({
				account_id,
			}));
		},
		suspendAccount: async (context) => {
			const { account_id, suspended } = context.params;
			return announced(context, await suspendAccount(store, clock, account_id, suspended, operatorOf(context)), () => ({
				account_id,
			}));
		},
		listKeys: ({ params }) => listKeys(store, clock, params.account_id, params.after),
		createKey: (context) => createKey(store, clock, context.params, operatorOf(context)),
		revokeKey: async (context) =>
			announced(context, await revokeKey(store, clock, context.params, operatorOf(context)), ({ account_id }) => ({
				account_id,
			})),
		rollKey: async (context) =>
			announced(context, await rollKey(store, clock, context.params, operatorOf(context)), ({ old }) => ({
				account_id: old.account_id,
			})),
		listPackages: () => listPlans(store),
		setPackage: async (context) => {
			const { name, figures } = context.params;
			return announced(context, await setPlan(store, clock, name, figures, operatorOf(context)), () => ({
				package: name,
			}));
		},
		readLog: ({ params }) => readLog(store, params),
		recordCommand: (context) => recordCommand(store, clock, context.params, operatorOf(context)),
		recordRefusal: async ({ params }) => ({ recorded: await recordScopeRefusal(store, clock, params) }),
	} satisfies Partial<Handlers<'accounts'>>;
}

/** Entries of a page: below 512 KiB */
const PAGE = 500;
/** ms in which a key and operation have one entry, over all gateways: keys that are refused must not fill the log */
const MINUTE = 60_000;

/**
 * The operator log, oldest first.
 * @param asked `since`: ISO 8601 UTC, the first moment; `after`: the last entry of the page before
 */
async function readLog({ log }: AccountsStore, asked: Params<'accounts.readLog'>): Promise<Page<LogEntry, LogCursor>> {
	const rows = (await log.read(asked, PAGE)).map(toLogEntry);
	const last = rows.at(-1);
	return { rows, next: rows.length === PAGE && last ? { at: last.at, id: last.id } : null };
}

async function recordCommand(
	{ log }: AccountsStore,
	clock: Clock,
	given: Params<'accounts.recordCommand'>,
	who: Who,
): Promise<'ok'> {
	const entry = { account_id: EVERY_ACCOUNT, at: timestamp(clock.now()), ...given, ...who, details: {} };
	await log.append(logEntry(entry, randomBase62(12)));
	return 'ok';
}

/**
 * Records a scope refusal: a key was refused an operation for want of a scope.
 * @param given `count`: how many requests it was
 * @returns false where this minute has its entry already: to be told again later, with what came meanwhile
 */
function recordScopeRefusal(
	{ log }: AccountsStore,
	clock: Clock,
	{ account_id, key_id, ...details }: Params<'accounts.recordRefusal'>,
): Promise<boolean> {
	const now = clock.now();
	const entry = { account_id, at: timestamp(now), event: 'key.refused', subject: key_id, actor: 'gateway' } as const;
	return log.appendOnce(logEntry({ ...entry, details }, `${details.operation}:${Math.floor(now / MINUTE)}`));
}
