import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Documents after which what is left of them is cleared away */
const DOCUMENTS = 10_000;

/**
 * Keeps a command small that reads millions of documents. By itself V8 lets its garbage grow to several hundred MB before it
 * clears it away, and how much it lets grow cannot be set once a process runs.
 * @returns to be told how many documents were done with
 */
export function boundedMemory(): (documents: number) => void {
	setFlagsFromString('--expose-gc');
	const clear = runInNewContext('gc') as () => void;
	let since = 0;
	return (documents) => {
		since += documents;
		if (since < DOCUMENTS) return;
		since = 0;
		clear();
	};
}
