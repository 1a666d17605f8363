import { Resolver, lookup as systemLookup } from 'node:dns/promises';
import { ApiError } from '../../../../shared/contract/errors.ts';
import { DeliveryFailure, TargetRefused } from './delivery-failure.ts';
import { isPublicAddress, NOT_PUBLIC, readTarget, type Target } from './read-target.ts';

/**
 * All addresses of a name, IPv4 and IPv6; [] where it has none.
 * @throws where that cannot be found out, or `signal` aborts
 */
export type LookUpName = (name: string, signal: AbortSignal) => Promise<string[]>;

export interface TargetRules {
	/** Allows http and addresses that are not public (WEBHOOK_ALLOW_PRIVATE) */
	allowPrivate: boolean;
	/** Default: the name servers, or where private addresses are allowed the system's resolver */
	lookup?: LookUpName;
}

/** ms; a name server that is silent for so long is asked once more, or another one is */
const TIMEOUT = 2_000;
const TRIES = 2;
/** The name or the record does not exist: an answer, not a failure */
const ABSENT = new Set(['ENOTFOUND', 'ENODATA']);

/**
 * The addresses that a target leads to now, each of them allowed: a name that has one public and one private address is
 * refused, because the customer decides which of them a connection takes.
 *
 * @throws TargetRefused, or DeliveryFailure where there is none
 */
export async function findAddresses(target: Target, rules: TargetRules, signal: AbortSignal): Promise<string[]> {
	if (target.isAddress) return [target.host]; // judged when it was read
	const lookup = rules.lookup ?? (rules.allowPrivate ? askSystem : askNameServers());
	const addresses = await lookup(target.host, signal).catch((error: unknown) => {
		throw new DeliveryFailure('the host name could not be looked up', { cause: error });
	});
	if (!rules.allowPrivate && !addresses.every(isPublicAddress)) throw new TargetRefused(NOT_PUBLIC);
	if (addresses.length === 0) throw new DeliveryFailure('the host name does not resolve');
	return addresses;
}

/**
 * Asks the name servers themselves. The system's resolver would run in the few threads that files need as well, where the
 * silent name servers of a handful of customers would hold up everything; and it would know names of our own network.
 *
 * @param servers addresses, with a port or without; default: the machine's
 */
export function askNameServers(servers?: string[]): LookUpName {
	return async (name, signal) => {
		signal.throwIfAborted();
		const resolver = new Resolver({ timeout: TIMEOUT, tries: TRIES });
		if (servers !== undefined) resolver.setServers(servers);
		const cancel = () => resolver.cancel();
		signal.addEventListener('abort', cancel, { once: true });
		try {
			const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
			const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
			const failure = answers.find((answer) => answer.status === 'rejected' && !ABSENT.has(answer.reason.code));
			if (addresses.length === 0 && failure?.status === 'rejected') throw failure.reason;
			return addresses;
		} finally {
			signal.removeEventListener('abort', cancel);
		}
	};
}

/** Asks the system, which knows hosts files and search domains: for those who allow private addresses. */
export const askSystem: LookUpName = async (name) => {
	try {
		return (await systemLookup(name, { all: true })).map(({ address }) => address);
	} catch (error) {
		if (ABSENT.has((error as NodeJS.ErrnoException).code ?? '')) return [];
		throw error;
	}
};

/** ms; a registration is an API request, which must not wait for a customer's name server */
const PATIENCE = 3_000;

/** Decides whether a webhook may be registered for a URL. The sender decides again whenever it connects. */
export class TargetGuard {
	readonly #rules: TargetRules;

	constructor(rules: TargetRules) {
		this.#rules = rules;
	}

	/**
	 * A name that does not resolve now may be registered: endpoints are often set up before their name, and a name server
	 * that is down is not the caller's fault. Every attempt to deliver judges anew.
	 *
	 * @returns what is wrong with it, in one sentence for a 400; undefined where the URL may be used
	 */
	async check(url: string): Promise<string | undefined> {
		const target = readTarget(url, this.#rules.allowPrivate);
		if (typeof target === 'string') return target;
		try {
			await findAddresses(target, this.#rules, AbortSignal.timeout(PATIENCE));
		} catch (error) {
			if (error instanceof TargetRefused) return error.fault;
		}
		return undefined;
	}

	/** @throws invalid_request where a webhook must not go to this URL (promise W5) */
	async assertAllowed(url: string): Promise<void> {
		const message = await this.check(url);
		if (message === undefined) return;
		throw ApiError.naming('invalid_request', [{ field: 'url', code: 'not_allowed', message }]);
	}
}
