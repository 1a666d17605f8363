/** Loaded into a process of the product before its own code: its wall clock is an hour ahead, as a badly set node's is. */
const HOUR = 3_600_000;
const { now } = Date;
const RightDate = Date;

class WrongDate extends RightDate {
	constructor(...given: unknown[]) {
		super(...((given.length === 0 ? [now() + HOUR] : given) as [number]));
	}

	static override now(): number {
		return now() + HOUR;
	}
}

globalThis.Date = WrongDate as DateConstructor;
