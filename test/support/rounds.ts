/**
 * How often something is tried that only goes wrong at some moments.
 * @param all with `EVERY_ROUND=1`, as nightly; without it a quarter of them
 */
export function rounds(all: number): number {
	return process.env.EVERY_ROUND === '1' ? all : Math.ceil(all / 4);
}
