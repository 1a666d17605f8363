/** A row of a list, and its value of the field that the list is sorted by */
export interface Ranked {
	id: number;
	at: string | number;
}

/** The order of a list's rows; those with the same value come by id, in the same direction. */
export function byRank(direction: 1 | -1): (left: Ranked, right: Ranked) => number {
	return (left, right) => {
		if (left.at === right.at) return (left.id - right.id) * direction;
		return left.at < right.at ? -direction : direction;
	};
}
