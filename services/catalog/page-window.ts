/** Which rows of a list one answer carries. */
export interface PageWindow {
	/** Only rows with a greater id */
	after: number;
	skip: number;
	limit: number;
}

/** A page this far away is empty: no account has so many rows. Not every store takes a larger number. */
const FARTHEST = 1_000_000_000;

/**
 * The rows of a page; where `after` is given, as many rows after this id instead.
 *
 * @param page_size as many as one message on the bus carries: the gateway fetches larger pages in pieces
 * @returns undefined where the page is beyond every list
 */
export function pageWindow(page: number, page_size: number, after?: number): PageWindow | undefined {
	if (after !== undefined) return { after, skip: 0, limit: page_size };
	const skip = (page - 1) * page_size;
	return skip > FARTHEST ? undefined : { after: 0, skip, limit: page_size };
}
