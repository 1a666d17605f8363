/** What the checker looks at; each has a file of its own, with the rule written above it. */
export type Rule =
	| 'capacity'
	| 'presence'
	| 'refusals'
	| 'customers'
	| 'idempotency'
	| 'versions'
	| 'events'
	| 'replay'
	| 'directory'
	| 'reads'
	| 'answers'
	| 'tenants';

/** One thing that must not be. */
export interface Violation {
	rule: Rule;
	/** With the bookings, versions, moments that show it */
	text: string;
}

/** Collects violations of one rule. */
export class Findings {
	readonly #rule: Rule;
	readonly #violations: Violation[];

	constructor(rule: Rule, violations: Violation[]) {
		this.#rule = rule;
		this.#violations = violations;
	}

	add(text: string): void {
		this.#violations.push({ rule: this.#rule, text });
	}
}
