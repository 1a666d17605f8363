import type { LookUpName } from './look-up-name.ts';

export interface TargetRules {
	/** Allows http and addresses that are not public (WEBHOOK_ALLOW_PRIVATE) */
	allowPrivate: boolean;
	lookup?: LookUpName;
}

/** Decides whether a webhook may go to a URL. */
export class TargetGuard {
	readonly #rules: TargetRules;

	constructor(rules: TargetRules) {
		this.#rules = rules;
	}

	/** One sentence for a 400, `url: …`; undefined where the URL may be used. */
	async check(url: string): Promise<string | undefined> {
		if (!URL.canParse(url)) return 'url: must be an absolute https URL';
		const { protocol } = new URL(url);
		const allowed = protocol === 'https:' || (protocol === 'http:' && this.#rules.allowPrivate);
		return allowed ? undefined : 'url: must begin with https://';
	}
}
