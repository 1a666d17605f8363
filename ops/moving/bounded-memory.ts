import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Documents after which what is left of the last ones is cleared away, and those after which all is looked through for it */
const YOUNG = 1_000;
const ALL = 10_000;

/**
 * Keeps a command small that reads millions of documents. By itself V8 lets its garbage grow to several hundred MB before it
 * clears it away, and how much it lets grow cannot be set once a process runs.
 * @returns to be told how many documents were done with
 */
export function boundedMemory(): (documents: number) => void {
	setFlagsFromString('--expose-gc');
	const clear = runInNewContext('gc') as (options?: { type: 'minor' }) => void;
	let [young, all] = [0, 0];
	return (documents) => {
		young += documents;
		all += documents;
		if (young < YOUNG) return;
		young = 0;
		if (all < ALL) return clear({ type: 'minor' });
		all = 0;
		clear();
	};
}
