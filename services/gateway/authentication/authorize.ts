import { type Caller, call } from '../../../shared/bus/call.ts';
import type { Principal, Scope } from '../../../shared/contract/actions.ts';
import { ApiError } from '../../../shared/contract/errors.ts';
import type { Clock } from '../../../shared/engine/clock.ts';
import { type Logger, logFailure } from '../../../shared/log/log.ts';
import type { Operation } from '../operations/operation.ts';

/** ms between two entries about one key and operation */
const MINUTE = 60_000;
/** Keys and operations; what goes beyond them is in the log of requests only */
const MOST = 10_000;
const TIMEOUT = 2_000; // ms

/**
 * Whether the key may do this. A scope refusal is told to the operator log.
 * @throws account_suspended, insufficient_scope
 */
export function authorize(
	principal: Principal,
	{ id, scope }: Pick<Operation, 'id' | 'scope'>,
	scopeRefusals: ScopeRefusals,
): void {
	if (principal.suspended) throw new ApiError('account_suspended');
	if (principal.scopes.includes(scope)) return;
	scopeRefusals.record(principal, id, scope);
	throw new ApiError('insufficient_scope');
}

interface Refusals {
	account_id: string;
	key_id: string;
	operation: string;
	scope: Scope;
	/** Requests that no entry tells of yet */
	count: number;
	/** Monotonic ms of the last attempt to tell */
	toldAt: number;
}

/**
 * Tells the operator log of scope refusals (promise A3): of the first one of a key and operation at once, and of those that
 * follow in one entry a minute, with their number. It delays and fails no request.
 */
export class ScopeRefusals {
	readonly #caller: Caller;
	readonly #clock: Clock;
	readonly #logger: Logger;
	readonly #refusals = new Map<string, Refusals>();

	constructor(caller: Caller, clock: Clock, logger: Logger) {
		this.#caller = caller;
		this.#clock = clock;
		this.#logger = logger;
	}

	record({ account_id, key_id }: Principal, operation: string, scope: Scope): void {
		const id = `${key_id} ${operation}`;
		const known = this.#refusals.get(id);
		if (known) known.count++;
		else if (this.#refusals.size < MOST) {
			const refusals = { account_id, key_id, operation, scope, count: 1, toldAt: Number.NEGATIVE_INFINITY };
			this.#refusals.set(id, refusals);
			void this.#tell(refusals);
		}
	}

	/** To be called every few seconds: tells what has come since the last entries that are a minute old. */
	async tellDue(): Promise<void> {
		const due = [...this.#refusals].filter(([, { toldAt }]) => this.#clock.monotonic() - toldAt >= MINUTE);
		for (const [id, { count }] of due) if (count === 0) this.#refusals.delete(id);
		await Promise.all(due.filter(([, { count }]) => count > 0).map(([, refusals]) => this.#tell(refusals)));
	}

	/** What was not told, or not taken, is told with the next. */
	async #tell(refusals: Refusals): Promise<void> {
		const { toldAt: _, ...told } = refusals;
		refusals.toldAt = this.#clock.monotonic();
		refusals.count = 0;
		try {
			const { recorded } = await call(this.#caller, 'accounts.recordRefusal', told, { timeout: TIMEOUT });
			if (!recorded) refusals.count += told.count;
		} catch (error) {
			refusals.count += told.count;
			logFailure(this.#logger, error, 'refusals for want of a scope not recorded yet', { key_id: told.key_id });
		}
	}
}
