import type { Stored, Table } from '../table.ts';
import type { Document, JsonObject } from './json-value.ts';
import { matcher } from './matcher.ts';

/**
 * What is written to a table while a read of several steps is under way. A row that nobody writes meanwhile is met exactly
 * once, where it was all the time; one that is written may be met twice or not at all. So a read takes what it met of
 * those others out again, and looks at each as it is at its end: then it is of that one moment.
 */
export class Watch {
	/** Numbers of the rows that were written */
	readonly rows = new Set<number>();
	/** How often one of them was */
	writes = 0;
	/** Each of them as it was before each write; only where that was asked for */
	readonly before: Document[] = [];
	readonly #table: Table;
	readonly #keepsBefore: boolean;

	/** Begins at once; to be ended. */
	constructor(table: Table, { keepsBefore = false } = {}) {
		this.#table = table;
		this.#keepsBefore = keepsBefore;
		table.watches.add(this);
	}

	/** To be called before a row is changed or removed, and after it was inserted. */
	note(row: number): void {
		this.rows.add(row);
		this.writes++;
		const before = this.#keepsBefore ? this.#table.read(row)?.document : undefined;
		if (before !== undefined) this.before.push(before);
	}

	/** Those of the rows that match a filter now. */
	matching(filter: JsonObject): Stored[] {
		const test = matcher(filter);
		const found = [...this.rows].map((row) => this.#table.read(row)).filter((stored) => stored !== undefined);
		return found.filter(({ document }) => test(document));
	}

	/** Whatever matched a filter before a write, or does now; to be asked where that was kept. */
	met(filter: JsonObject): Document[] {
		if (this.rows.size === 0) return [];
		return [...this.before.filter(matcher(filter)), ...this.matching(filter).map(({ document }) => document)];
	}

	end(): void {
		this.#table.watches.delete(this);
	}
}
