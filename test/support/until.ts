export interface Patience {
	/** ms; default 120,000: not a bound on the product, but on how long a failed test takes beside other load */
	timeout?: number;
	/** ms between two looks, or as long as the last one took: a dear look has half of the time; default 20 */
	interval?: number;
	/** What is waited for, to be read after "waited in vain for" */
	what?: string;
}

type Truthy<T> = Exclude<T, false | 0 | '' | null | undefined>;

/**
 * Waits for a condition instead of a time.
 * @param look a look at the world; one that throws counts as "not yet"
 * @returns the first truthy value that `look` gives
 * @throws the last error of `look`, or that it was waited for in vain
 */
export async function until<T>(look: () => T | Promise<T>, patience: Patience = {}): Promise<Truthy<T>> {
	const { timeout = 120_000, interval = 20, what = 'a condition' } = patience;
	const end = performance.now() + timeout;
	let failure: unknown;
	for (;;) {
		const from = performance.now();
		try {
			const seen = await look();
			if (seen) return seen as Truthy<T>;
			failure = undefined;
		} catch (error) {
			failure = error;
		}
		const now = performance.now();
		if (now > end) throw new Error(`waited in vain for ${what} (${timeout} ms)`, { cause: failure });
		await new Promise((resolve) => setTimeout(resolve, Math.max(interval, now - from)));
	}
}
