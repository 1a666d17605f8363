import type { Page } from '../../shared/contract/account-reports.ts';

/** Every row of a list that comes in pages. */
export async function allPages<Row, Cursor>(
	read: (after: Cursor | undefined) => Promise<Page<Row, Cursor>>,
): Promise<Row[]> {
	const all: Row[] = [];
	let after: Cursor | undefined;
	for (;;) {
		const { rows, next } = await read(after);
		all.push(...rows);
		if (next === null) return all;
		after = next;
	}
}
