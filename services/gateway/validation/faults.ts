const MAX_NAMED = 50;
const MAX_NAME_LENGTH = 80;

/** What is wrong with a request, field by field. The first fault of a field is the one that is told. */
export class Faults {
	readonly #byField = new Map<string, string>();

	/** @param what such as `must be an integer from 1 to 1000` */
	add(field: string, what: string): void {
		if (!this.#byField.has(field)) this.#byField.set(field, what);
	}

	get isEmpty(): boolean {
		return this.#byField.size === 0;
	}

	/** Every failing field and what would be right; a body with thousands of faults does not get an answer as long. */
	toString(): string {
		const all = [...this.#byField].map(([field, what]) => `${shortened(field)}: ${what}`);
		const rest = all.length - MAX_NAMED;
		return rest > 0 ? `${all.slice(0, MAX_NAMED).join('; ')}; and ${rest} more` : all.join('; ');
	}
}

/** A field's name is the client's text, of any length. */
function shortened(name: string): string {
	return name.length <= MAX_NAME_LENGTH ? name : `${name.slice(0, MAX_NAME_LENGTH).toWellFormed()}…`;
}
