/** Somebody held a place's lock, in ms of one monotonic clock. */
export interface LeaseRecord {
	place: string;
	/** When it was granted */
	from: number;
	/** When it was given back or ran out, whichever came first */
	to: number;
}

/** The rule: of one place, no two leases run at the same moment. @returns pairs that do, each told by its beginning */
export function overlappingLeases(records: readonly LeaseRecord[]): string[] {
	const found: string[] = [];
	for (const [place, all] of Map.groupBy(records, (record) => record.place)) {
		const byBeginning = all.filter(({ from, to }) => from < to).sort((a, b) => a.from - b.from);
		let last: LeaseRecord | undefined;
		for (const record of byBeginning) {
			if (last && record.from < last.to)
				found.push(`${place}: ${last.from.toFixed(1)} and ${record.from.toFixed(1)} ms`);
			if (!last || record.to > last.to) last = record;
		}
	}
	return found;
}
