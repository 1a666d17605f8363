/**
 * A queue with several servers that take who came first (G/G/c). Work is to be given in order of its arrival; then when it
 * ends is known at once, for nothing that comes later overtakes it.
 */
export class Station {
	/** When each server is free */
	readonly #free: Float64Array;
	/** Seconds that its servers have worked */
	worked = 0;
	#last = Number.NEGATIVE_INFINITY;

	constructor(servers: number) {
		this.#free = new Float64Array(servers);
	}

	/**
	 * @param service seconds that a server needs for it
	 * @returns when it is done
	 */
	serve(arrival: number, service: number): number {
		if (arrival < this.#last) throw new Error('work must be given in order of arrival');
		this.#last = arrival;
		let next = 0;
		for (let server = 1; server < this.#free.length; server++)
			if (this.#free[server]! < this.#free[next]!) next = server;
		const done = Math.max(arrival, this.#free[next]!) + service;
		this.#free[next] = done;
		this.worked += service;
		return done;
	}
}
