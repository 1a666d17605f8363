/** Reads that may begin before the event loop gets its turn; a request begins about ten */
const MOST = 1_000;

let begun = 0;

/**
 * To be asked when a read begins. A short answer is there without a turn of the event loop, so code that reads, decides and
 * reads again could keep it from everything else, timers and writes included, which it may be waiting for.
 * @returns what to wait for first; undefined nearly always
 */
export function readTurn(): Promise<void> | undefined {
	if (begun++ === 0) setImmediate(reset);
	return begun > MOST ? new Promise((resolve) => setImmediate(resolve)) : undefined;
}

function reset(): void {
	begun = 0;
}
