export interface Due {
	/** ms of the world's clock */
	at: number;
	/** Decides between two of the same moment */
	order: number;
}

/** The earliest first. */
export class Heap<T extends Due> {
	readonly #items: T[] = [];

	get first(): T | undefined {
		return this.#items[0];
	}

	get size(): number {
		return this.#items.length;
	}

	push(item: T): void {
		const items = this.#items;
		let at = items.push(item) - 1;
		while (at > 0) {
			const parent = (at - 1) >> 1;
			if (!isBefore(item, items[parent]!)) break;
			items[at] = items[parent]!;
			at = parent;
		}
		items[at] = item;
	}

	pop(): T | undefined {
		const items = this.#items;
		const first = items[0];
		const last = items.pop();
		if (last === undefined || items.length === 0) return first;
		let at = 0;
		for (;;) {
			let child = 2 * at + 1;
			if (child >= items.length) break;
			if (child + 1 < items.length && isBefore(items[child + 1]!, items[child]!)) child++;
			if (!isBefore(items[child]!, last)) break;
			items[at] = items[child]!;
			at = child;
		}
		items[at] = last;
		return first;
	}
}

function isBefore(one: Due, other: Due): boolean {
	return one.at < other.at || (one.at === other.at && one.order < other.order);
}
