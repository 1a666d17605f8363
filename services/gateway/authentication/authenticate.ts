import { LRUCache } from 'lru-cache';
import { type Caller, call } from '../../../shared/bus/call.ts';
import type { AccountsChanged } from '../../../shared/contract/actions/accounts.ts';
import type { Principal } from '../../../shared/contract/actions.ts';
import { ApiError } from '../../../shared/contract/errors.ts';
import type { Clock } from '../../../shared/engine/clock.ts';
import { hashApiKey, isWellFormedApiKey } from '../../../shared/secrets/api-key.ts';
import { AccountChanges } from './account-changes.ts';

/** ms that a known key is believed where nothing was changed meanwhile; `last_used_at` is as much behind */
const KNOWN_FOR = 60_000;
/** ms after which it is asked whether something was. A revoked key stops working within 5 s (promise A3), the answer's time included. */
const UNASKED_FOR = 4_000;
/** ms after which it is asked beside the requests, which do not wait for it then */
const ASKED_AFTER = 2_000;
/** ms that an unknown key stays unknown: short, because the key may be created a moment later */
const UNKNOWN_FOR = 1_000;
const MAX_KEYS = 10_000;
const MAX_HEADERS = 1_000;
/** ms for a look-up, which several requests share */
const LOOK_UP_LIMIT = 4_000;

/**
 * Asked before a key is looked up that this gateway never saw to be good.
 * @returns what to call when the look-up is over; a promise where others' must end first, then it is to be asked again
 * @throws rate_limit_exceeded where there may be none
 */
export type LookUpPermit = (hash: string) => (() => void) | Promise<void>;

const BEARER = /^bearer +([^ ]+)$/i;

/** What a look-up told */
interface Known {
	principal: Principal;
	/** Monotonic ms of the look-up's beginning: what it told is as old */
	start: number;
}

/**
 * Tells whose key a request carries (contract §5). A key whose form or checksum is wrong costs no call at all; any
 * other one costs one call a minute, however many requests carry it, and all of them together one every few seconds.
 */
export class Authenticator {
	readonly #caller: Caller;
	readonly #clock: Clock;
	readonly #known = new LRUCache<string, Known>({ max: MAX_KEYS });
	/** Apart from the known ones: a flood of invented keys must not push good ones out. */
	readonly #unknown: LRUCache<string, true>;
	/** Good when they were last looked up, however long ago: looking again is not for a stranger */
	readonly #onceGood = new LRUCache<string, true>({ max: MAX_KEYS });
	readonly #changes: AccountChanges;
	readonly #lookUps = new Map<string, Promise<Principal | null>>();
	/** Hashes of the headers that were good of late: checking and hashing one costs 3 µs */
	readonly #hashes = new Map<string, string>();

	constructor(caller: Caller, clock: Clock) {
		const perf = { now: () => clock.monotonic() };
		this.#caller = caller;
		this.#clock = clock;
		this.#unknown = new LRUCache({ max: MAX_KEYS, ttl: UNKNOWN_FOR, ttlResolution: 0, perf });
		this.#changes = new AccountChanges(caller, clock);
	}

	/**
	 * @param authorization the header of that name
	 * @throws whatever `permit` throws; missing_api_key; invalid_api_key, one and the same for a key that is malformed, unknown, revoked or
	 *   expired; service_unavailable or gateway_timeout where accounts does not answer
	 */
	async authenticate(
		authorization: string | undefined,
		requestID: string,
		permit: LookUpPermit = () => () => {},
	): Promise<Principal> {
		if (!authorization) throw new ApiError('missing_api_key');
		const hash = this.#hashOf(authorization);
		if (hash === undefined) throw new ApiError('invalid_api_key');
		const principal = this.#current(hash) ?? (await this.#find(hash, requestID, permit));
		if (principal === null || this.#isExpired(principal)) throw new ApiError('invalid_api_key');
		if (this.#hashes.size >= MAX_HEADERS) this.#hashes.clear();
		this.#hashes.set(authorization, hash);
		return principal;
	}

	/** Whose key it is, where that is known without asking anybody. */
	known(authorization: string | undefined): Principal | undefined {
		const hash = this.#hashOf(authorization ?? '');
		const principal = hash === undefined ? undefined : this.#current(hash);
		return principal === undefined || this.#isExpired(principal) ? undefined : principal;
	}

	/** Undefined where it is no key, or a mistyped one. */
	#hashOf(authorization: string): string | undefined {
		const hash = this.#hashes.get(authorization);
		if (hash !== undefined) return hash;
		const key = BEARER.exec(authorization)?.[1];
		return key !== undefined && isWellFormedApiKey(key) ? hashApiKey(key) : undefined;
	}

	/**
	 * What is known of these keys is out of date. A look-up that is under way may have read it as it was: it answers who
	 * waits for it, but nobody who comes from now on.
	 */
	forget(change: AccountsChanged): void {
		this.#lookUps.clear();
		for (const [hash, { principal }] of this.#known.entries()) {
			const { account_id, package: plan } = principal;
			const isMeant = 'account_id' in change ? change.account_id === account_id : change.package === plan.name;
			if (isMeant) this.#known.delete(hash);
		}
	}

	/** What is known of a key, where it may be believed. Where that ends soon, it is asked meanwhile. */
	#current(hash: string): Principal | undefined {
		const known = this.#known.get(hash);
		if (known === undefined) return undefined;
		const now = this.#clock.monotonic();
		const age = now - this.#changes.heldUntil(known.start);
		if (now - known.start >= KNOWN_FOR || age >= UNASKED_FOR) return undefined;
		// Who comes too late for the answer hears of the failure.
		if (age >= ASKED_AFTER && this.#changes.canHold(known.start)) this.#changes.ask().catch(() => {});
		return known.principal;
	}

	#isExpired({ expires_at }: Principal): boolean {
		return expires_at !== null && expires_at <= this.#clock.now();
	}

	/** Requests that come with the same key meanwhile share the look-up. */
	async #find(hash: string, requestID: string, permit: LookUpPermit): Promise<Principal | null> {
		const begun = this.#clock.monotonic();
		const known = this.#known.get(hash);
		if (known !== undefined && begun - known.start < KNOWN_FOR && this.#changes.canHold(known.start)) {
			await this.#changes.ask();
		}
		for (;;) {
			if (this.#unknown.has(hash)) return null;
			const found = this.#current(hash) ?? this.#lookUps.get(hash);
			if (found !== undefined) return found;
			if (this.#onceGood.has(hash)) return this.#lookUp(hash, requestID);
			const turn = permit(hash);
			if (typeof turn === 'function') return this.#lookUp(hash, requestID).finally(turn);
			await turn;
			if (this.#clock.monotonic() >= begun + LOOK_UP_LIMIT) throw new ApiError('service_unavailable');
		}
	}

	#lookUp(hash: string, requestID: string): Promise<Principal | null> {
		const start = this.#clock.monotonic(); // the answer is as old as the question
		const options = { requestID, timeout: LOOK_UP_LIMIT };
		const isLatest = () => this.#lookUps.get(hash) === lookUp;
		const lookUp = call(this.#caller, 'accounts.verifyKey', { hash }, options)
			.then((principal) => {
				if (isLatest()) this.#keep(hash, principal, start);
				return principal;
			})
			.finally(() => isLatest() && this.#lookUps.delete(hash));
		this.#lookUps.set(hash, lookUp);
		return lookUp;
	}

	#keep(hash: string, principal: Principal | null, start: number): void {
		if (principal === null) {
			this.#unknown.set(hash, true);
			this.#onceGood.delete(hash);
		} else {
			this.#known.set(hash, { principal, start });
			this.#onceGood.set(hash, true);
		}
	}
}
