/** Rows under their headings, in columns; numbers to the right. */
export function table(headings: string[], rows: (string | number)[][]): string {
	const widths = headings.map((heading, at) => Math.max(heading.length, ...rows.map((row) => String(row[at]).length)));
	const line = (row: (string | number)[]) =>
		row
			.map((cell, at) => (typeof cell === 'number' ? String(cell).padStart(widths[at]!) : cell.padEnd(widths[at]!)))
			.join('  ')
			.trimEnd();
	return [headings, widths.map((width) => '-'.repeat(width)), ...rows].map(line).join('\n');
}

/** `1 booking`, `2 bookings`. */
export function count(number: number, noun: string): string {
	return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
}
