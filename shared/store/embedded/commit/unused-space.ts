import { readSync, writeSync } from 'node:fs';

/** Bytes that are read at once */
const chunk = 1 << 20;
/** The first byte of an index or a table's page, https://sqlite.org/fileformat.html section 1.6 */
const interior = new Set([2, 5]);
const leaf = new Set([10, 13]);
/** Of the file, which the first page has before its own */
const fileHeader = 100;
/** From this page on, the number that other pages begin with may look like the type of one */
const mistakable = 0x0200_0000;

/**
 * Overwrites the space between a page's list of rows and the rows. `secure_delete` overwrites rows that are removed, but a page that is
 * divided keeps there what went to another page, until something else takes the room (SQLite's `rebuildPage`). Nothing reads
 * it, so it may be overwritten at any moment, and a loss of power in between does no harm.
 * @param file its descriptor
 * @param first page, from 1
 * @param count how many pages to look at
 * @returns the page to go on with; undefined at the end
 */
export function overwriteUnused(file: number, pageSize: number, first: number, count: number): number | undefined {
	const bytes = Buffer.allocUnsafe(Math.max(chunk, pageSize));
	const zeros = Buffer.alloc(pageSize);
	for (let page = first; page < first + count; ) {
		const length = readSync(file, bytes, 0, bytes.length, (page - 1) * pageSize);
		for (let at = 0; at + pageSize <= length; at += pageSize, page++) {
			if (page >= mistakable) return undefined;
			const gap = unusedOf(bytes.subarray(at, at + pageSize), page === 1 ? fileHeader : 0);
			if (gap === undefined) continue;
			const { start, end } = gap;
			if (bytes.compare(zeros, 0, end - start, at + start, at + end) === 0) continue;
			writeSync(file, zeros, 0, end - start, (page - 1) * pageSize + start);
		}
		if (length < bytes.length) return undefined;
	}
	return first + count;
}

function unusedOf(page: Buffer, header: number): { start: number; end: number } | undefined {
	const type = page[header]!;
	if (!interior.has(type) && !leaf.has(type)) return undefined;
	const start = header + (leaf.has(type) ? 8 : 12) + 2 * page.readUInt16BE(header + 3);
	const end = page.readUInt16BE(header + 5) || 65_536;
	return start < end && end <= page.length ? { start, end } : undefined;
}
