import { ApiError } from '../../../shared/contract/errors.ts';
import { type Pagination, pagination } from '../../../shared/contract/schemas/pagination.ts';

/**
 * NATS carries at most 1 MiB a message, and a page of 1,000 bookings with the longest texts is 10 MB. So whatever can
 * pass half of that is fetched in pieces. A booking takes at most 19 kB: its texts may have 2,763 characters of 4 bytes, its
 * metadata 4,096 characters that JSON escapes.
 */
export const BOOKINGS_A_PIECE = 25;
/** An entry of the directory takes at most 2.2 kB. */
export const CUSTOMERS_A_PIECE = 200;
/** A service with its provider takes at most 13 kB. */
export const SERVICES_A_PIECE = 40;
/** A delivery with its 20 attempts takes at most 10 kB. */
export const DELIVERIES_A_PIECE = 50;
/** A date override takes at most 1.3 kB. */
export const OVERRIDES_A_PIECE = 300;
/** A time slot takes 0.3 kB. */
export const SLOTS_A_PIECE = 1000;

/** After so many attempts the account changes its slots faster than they can be read. */
const MOST_ATTEMPTS = 20;

class OtherCut extends Error {}

/**
 * Collects pieces that show one moment: where something came between two of them, all are fetched again.
 * @param collect calls `assertSame` with the cut of each piece
 * @throws service_unavailable
 */
export async function ofOneCut<T>(collect: (assertSame: (cut: string) => void) => Promise<T>): Promise<T> {
	for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
		let first: string | undefined;
		const assertSame = (cut: string) => {
			first ??= cut;
			if (cut !== first) throw new OtherCut();
		};
		try {
			return await collect(assertSame);
		} catch (error) {
			if (!(error instanceof OtherCut)) throw error;
		}
	}
	throw new ApiError('service_unavailable');
}

interface Piece<Row> {
	/** Perhaps another request's, too: what is read for several at once is one answer */
	rows: readonly Row[];
	/** Rows in all, on this page or not */
	total: number;
}

/**
 * At most `limit` rows: a first piece, then others after the last row, so that a row that goes meanwhile shifts none.
 * A piece with fewer rows than were asked for is the last.
 * @param fetch `after` is undefined for the first piece
 */
export async function inPieces<Row>(
	limit: number,
	sizes: { first: number; next: number },
	fetch: (asked: number, after: Row | undefined) => Promise<Piece<Row>>,
): Promise<{ rows: Row[]; total: number }> {
	let asked = Math.min(limit, sizes.first);
	let piece = await fetch(asked, undefined);
	const { total } = piece;
	const rows = [...piece.rows];
	while (piece.rows.length === asked && rows.length < limit) {
		asked = Math.min(limit - rows.length, sizes.next);
		piece = await fetch(asked, rows.at(-1)!);
		rows.push(...piece.rows);
	}
	return { rows, total };
}

/** The rows of a page whose ids are known: those that are there still, each once, in the order of the ids. */
export async function ofIds<Row>(
	ids: readonly number[],
	size: number,
	fetch: (ids: readonly number[]) => Promise<readonly Row[]>,
): Promise<Row[]> {
	const rows: Row[] = [];
	for (let at = 0; at < ids.length; at += size) rows.push(...(await fetch(ids.slice(at, at + size))));
	return rows;
}

/** Rows before a page. Beyond what an integer carries there are no rows anyway. */
export function offsetOf(page: number, pageSize: number): number {
	return Math.min((page - 1) * pageSize, Number.MAX_SAFE_INTEGER);
}

/**
 * The pagination of a page. Its rows are counted a moment before or after they are read, and others come and go between:
 * where the page itself tells how many there are, or at least, that is the total.
 * @param rows of the page, as many as there were
 */
export function paginationOf(page: number, pageSize: number, rows: number, counted: number): Pagination {
	const before = offsetOf(page, pageSize);
	const seen = before + rows;
	if (rows === 0) return pagination(page, pageSize, Math.min(counted, before));
	return pagination(page, pageSize, rows < pageSize ? seen : Math.max(counted, seen));
}
