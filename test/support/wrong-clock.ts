import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Loaded into a process of the product before its own code: its wall clock is wrong by the ms that CLOCK_OFFSET says, as a
 * badly set node's is. A test may set it at any time, in either direction, in the file `clock-<pid>` of its directory.
 */
const { now } = Date;
const RightDate = Date;
const FILE = join(process.cwd(), `clock-${process.pid}`);
const LOOK_EVERY = 20; // ms

let offset = Number(process.env.CLOCK_OFFSET ?? 0);
let looked = Number.NEGATIVE_INFINITY;

function wrongNow(): number {
	const since = performance.now();
	if (since - looked >= LOOK_EVERY) {
		looked = since;
		try {
			offset = Number(readFileSync(FILE, 'utf8'));
		} catch {
			// nobody has set it
		}
	}
	return now() + offset;
}

class WrongDate extends RightDate {
	constructor(...given: unknown[]) {
		super(...((given.length === 0 ? [wrongNow()] : given) as [number]));
	}

	static override now(): number {
		return wrongNow();
	}
}

globalThis.Date = WrongDate as DateConstructor;
