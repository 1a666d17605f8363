import { EPOCH } from '../world/world.ts';

/** How far the wall clocks of the booking processes were ahead, from a moment of the world on; all in ms. */
export interface Clocks {
	at: number;
	least: number;
	most: number;
}

/** What the clock that is furthest behind says at the beginning of a period, if it was so at any time of it. */
export function leastWall(clocks: readonly Clocks[], from: number, to: number): number {
	const then = clocks.filter(
		({ at }, index) => at <= to && (clocks[index + 1]?.at ?? Number.POSITIVE_INFINITY) >= from,
	);
	return EPOCH + from + Math.min(...then.map(({ least }) => least));
}

/** When in the world the first clock said `wall`; infinite where none did. @param wall ms since the epoch */
export function firstReached(clocks: readonly Clocks[], wall: number): number {
	for (const [index, { at, most }] of clocks.entries()) {
		const reached = Math.max(at, wall - EPOCH - most);
		if (reached <= (clocks[index + 1]?.at ?? Number.POSITIVE_INFINITY)) return reached;
	}
	return Number.POSITIVE_INFINITY;
}
