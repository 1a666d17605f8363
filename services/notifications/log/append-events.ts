import { type AccountKey, accountKey } from '../../../shared/contract/account-key.ts';
import type { NewEvent } from '../../../shared/contract/actions.ts';
import type { FairLock } from '../../../shared/lock/fair-lock.ts';
import type { Deadline } from '../../../shared/work/deadline.ts';
import { AccountAppender } from './account-appender.ts';
import type { EventLog } from './event-log.ts';

/** Appends events of any accounts to their logs. An event that is there already counts as done. */
export class EventAppender {
	readonly #log: EventLog;
	readonly #lock: FairLock;
	readonly #appended: (account_id: string) => void;
	/** those that are at work */
	readonly #accounts = new Map<AccountKey, AccountAppender>();

	/** @param appended is told each account whose log has grown */
	constructor(log: EventLog, lock: FairLock, appended: (account_id: string) => void) {
		this.#log = log;
		this.#lock = lock;
		this.#appended = appended;
	}

	/**
	 * Events of one account keep their order. Where it throws, some may have been appended: it is to be repeated.
	 * @throws gateway_timeout, or what the store throws
	 */
	async append(events: NewEvent[], deadline: Deadline): Promise<void> {
		const accounts = Map.groupBy(events, (event) => event.account_id);
		await Promise.all([...accounts].map(([account_id, own]) => this.#appendOf(account_id, own, deadline)));
	}

	async #appendOf(account_id: string, events: NewEvent[], deadline: Deadline): Promise<void> {
		const account = this.#accounts.get(accountKey({ account_id })) ?? this.#begin(account_id);
		await account.append(events, deadline);
		this.#appended(account_id);
	}

	#begin(account_id: string): AccountAppender {
		const key = accountKey({ account_id });
		const idle = () => this.#accounts.delete(key);
		const account = new AccountAppender(account_id, this.#log, this.#lock, idle);
		this.#accounts.set(key, account);
		return account;
	}
}
