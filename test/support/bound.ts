/** Whether the machine does nothing else (`ALONE=1`): only then does a time that was measured judge the product. */
export const isAlone = process.env.ALONE === '1';

/**
 * A promise's bound of time, in ms: as it is where the machine does nothing else. Beside other load it is `beside`, which is
 * far above what a slow machine adds, and below what the mistake would cost that the test is there to find.
 */
export function bound(ms: number, beside = 10 * ms): number {
	return isAlone ? ms : beside;
}

/** How many times as long as usual MongoDB may take, in tests that are not about that */
export const STORE_PATIENCE = 10;
