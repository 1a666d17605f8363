/** Units of work of a document that is inserted, changed or removed: beside its text its indexes change */
const WRITTEN = 5;

/**
 * What a request that writes has cost until now, in the units of `Reading`. It is counted, but never stopped: what writes
 * goes on to a step from which others can take over. What it writes in one batch with other requests is nobody's.
 */
export class Writing {
	#units = 0;

	get units(): number {
		return this.#units;
	}

	add(units: number): void {
		this.#units += units;
	}

	/** @param documents that were inserted, changed or removed */
	wrote(documents: number): void {
		this.#units += documents * WRITTEN;
	}
}
