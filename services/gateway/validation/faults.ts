import { ApiError, type Fault, type FaultCode } from '../../../shared/contract/errors.ts';

const MAX_NAMED = 50;
const MAX_NAME_LENGTH = 80;

/** What is wrong with a request, field by field. The first fault of a field is the one that is told. */
export class Faults {
	readonly #byField = new Map<string, Fault>();
	/** Faults beyond those that are named: a body can have tens of thousands */
	#further = 0;

	/** @param message to be read after the field, such as `must be an integer from 1 to 1000` */
	add(field: string, code: FaultCode, message: string): void {
		if (this.#byField.has(field)) return;
		if (this.#byField.size < MAX_NAMED) this.#byField.set(field, { field: shortened(field), code, message });
		else this.#further++;
	}

	get isEmpty(): boolean {
		return this.#byField.size === 0;
	}

	/** Names the failing fields and what would be right. */
	toError(): ApiError {
		return ApiError.naming('invalid_request', [...this.#byField.values()], this.#further);
	}
}

/** A field's name is the client's text, of any length. */
function shortened(name: string): string {
	return name.length <= MAX_NAME_LENGTH ? name : `${name.slice(0, MAX_NAME_LENGTH).toWellFormed()}…`;
}
