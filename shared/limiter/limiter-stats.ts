/** Counters since the start. */
export interface RateLimiterStats {
	taken: number;
	refused: number;
	/** How many of these decisions this process made alone, because Redis did not answer */
	alone: number;
	/** Whether it decides alone right now */
	degraded: boolean;
}

export function newStats(): RateLimiterStats {
	return { taken: 0, refused: 0, alone: 0, degraded: false };
}
