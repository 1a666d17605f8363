import { ApiError } from '../../../../shared/contract/errors.ts';
import { TargetRefused } from './delivery-failure.ts';
import { findAddresses, type TargetRules } from './find-addresses.ts';
import { readTarget } from './read-target.ts';

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
	 * @returns one sentence for a 400, `url: …`; undefined where the URL may be used
	 */
	async check(url: string): Promise<string | undefined> {
		const target = readTarget(url, this.#rules.allowPrivate);
		if (typeof target === 'string') return `url: ${target}`;
		try {
			await findAddresses(target, this.#rules, AbortSignal.timeout(PATIENCE));
		} catch (error) {
			if (error instanceof TargetRefused) return `url: ${error.fault}`;
		}
		return undefined;
	}

	/** @throws invalid_request where a webhook must not go to this URL (promise W5) */
	async assertAllowed(url: string): Promise<void> {
		const fault = await this.check(url);
		if (fault !== undefined) throw new ApiError('invalid_request', fault);
	}
}
