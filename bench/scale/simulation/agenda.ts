/** What is to happen, in order of time; what was put in first comes first at one moment. A binary heap. */
export class Agenda<T> {
	readonly #heap: { at: number; order: number; what: T }[] = [];
	#order = 0;

	put(at: number, what: T): void {
		const heap = this.#heap;
		heap.push({ at, order: this.#order++, what });
		for (let child = heap.length - 1; child > 0; ) {
			const parent = (child - 1) >> 1;
			if (!this.#before(child, parent)) return;
			this.#swap(child, parent);
			child = parent;
		}
	}

	take(): { at: number; what: T } | undefined {
		const heap = this.#heap;
		const first = heap[0];
		const last = heap.pop();
		if (first === undefined || heap.length === 0) return first;
		heap[0] = last!;
		for (let parent = 0; ; ) {
			let least = parent;
			for (const child of [2 * parent + 1, 2 * parent + 2]) {
				if (child < heap.length && this.#before(child, least)) least = child;
			}
			if (least === parent) return first;
			this.#swap(parent, least);
			parent = least;
		}
	}

	#before(a: number, b: number): boolean {
		const [one, other] = [this.#heap[a]!, this.#heap[b]!];
		return one.at < other.at || (one.at === other.at && one.order < other.order);
	}

	#swap(a: number, b: number): void {
		[this.#heap[a], this.#heap[b]] = [this.#heap[b]!, this.#heap[a]!];
	}
}
