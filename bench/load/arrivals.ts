/**
 * Moments of a Poisson process: independent customers, who come in bunches and leave gaps.
 * @param rate arrivals a second, on average
 * @param seed the same seed, the same moments
 * @returns ms from the start, ascending, all below `seconds`
 */
export function arrivals(rate: number, seconds: number, seed: number): Float64Array {
	const random = randomFrom(seed);
	const moments: number[] = [];
	for (let at = 0; ; ) {
		at += (-Math.log(1 - random()) / rate) * 1_000;
		if (at >= seconds * 1_000) return Float64Array.from(moments);
		moments.push(at);
	}
}

/** Numbers of 0 to 1, 1 excluded, by a linear congruential generator (Numerical Recipes' constants). */
function randomFrom(seed: number): () => number {
	let state = seed >>> 0;
	return () => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state / 2 ** 32;
	};
}
