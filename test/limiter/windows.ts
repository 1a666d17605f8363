/** A request, and when it was sent and answered, in ms. */
export interface Attempt {
	from: number;
	to: number;
	passed: boolean;
}

/**
 * R1, for every window: whichever of those that passed are looked at, they are no more than burst + rate × T + 1, where
 * T is from when the first was sent to when the last was answered, for nobody knows when in between it was decided.
 * @throws what passed in which window
 */
export function assertBounded(attempts: readonly Attempt[], burst: number, rate: number): void {
	const passed = attempts.filter((each) => each.passed);
	const from = passed.map((each) => each.from).sort((a, b) => a - b);
	const to = passed.map((each) => each.to).sort((a, b) => a - b);
	for (let first = 0; first < passed.length; first++) {
		for (let last = first; last < passed.length; last++) {
			const seconds = (to[last]! - from[first]!) / 1000;
			const count = last - first + 1;
			if (count > burst + rate * seconds + 1) {
				throw new Error(`${count} passed within ${seconds} s, of burst ${burst} and rate ${rate}`);
			}
		}
	}
}
