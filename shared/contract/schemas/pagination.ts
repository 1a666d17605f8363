import { type Static, Type } from './schema.ts';

/** Both of the interface's shapes at once (contract §2), so that a client written against either one works. */
export const Pagination = Type.Object({
	page: Type.Integer(),
	page_size: Type.Integer(),
	total_items: Type.Integer(),
	total_pages: Type.Integer(),
	current_page: Type.Integer(),
	total_count: Type.Integer(),
});
export type Pagination = Static<typeof Pagination>;

export const Page = Type.Integer({
	minimum: 1,
	maximum: Number.MAX_SAFE_INTEGER,
	description: 'Page, from 1',
	examples: [1],
});
export const PageSize = Type.Integer({
	minimum: 1,
	maximum: 1000,
	description: 'Rows a page, 1 to 1000',
	examples: [20],
});

export const DEFAULT_PAGE_SIZE = 20;

export function pagination(page: number, pageSize: number, totalItems: number): Pagination {
	const totalPages = Math.ceil(totalItems / pageSize);
	return {
		page,
		page_size: pageSize,
		total_items: totalItems,
		total_pages: totalPages,
		current_page: page,
		total_count: totalItems,
	};
}
