const MAX_NAMED = 50;
const MAX_NAME_LENGTH = 80;

/** What is wrong with a request, field by field. The first fault of a field is the one that is told. */
export class Faults {
	readonly #byField = new Map<string, string>();
	/** Faults beyond those that are named: a body can have tens of thousands */
	#further = 0;

	/** @param what such as `must be an integer from 1 to 1000` */
	add(field: string, what: string): void {
		if (this.#byField.has(field)) return;
		if (this.#byField.size < MAX_NAMED) this.#byField.set(field, what);
		else this.#further++;
	}

	get isEmpty(): boolean {
		return this.#byField.size === 0;
	}

	/** The failing fields and what would be right. */
	toString(): string {
		const named = [...this.#byField].map(([field, what]) => `${shortened(field)}: ${what}`);
		if (this.#further > 0) named.push(`and ${this.#further} more`);
		return named.join('; ');
	}
}

/** A field's name is the client's text, of any length. */
function shortened(name: string): string {
	return name.length <= MAX_NAME_LENGTH ? name : `${name.slice(0, MAX_NAME_LENGTH).toWellFormed()}…`;
}
