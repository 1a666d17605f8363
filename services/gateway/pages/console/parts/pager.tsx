import type { VNode } from 'preact';
import type { Pagination } from '../../../../../shared/contract/schemas/pagination.ts';
import { Button } from './button.tsx';
import { Icon } from './icons.tsx';
import { grouped } from './numbers.ts';

/** Rows a page: so many stay smooth, however many there are. */
export const ROWS = 50;

interface Props {
	what: string;
	pagination: Pagination;
	onPage: (page: number) => void;
}

export function Pager({
	what,
	pagination: { page, page_size, total_items, total_pages },
	onPage,
}: Props): VNode | null {
	if (total_pages <= 1 && page === 1) return null;
	const first = (page - 1) * page_size + 1;
	const last = Math.min(page * page_size, total_items);
	return (
		<nav class="pager" aria-label={`Pages of ${what}`}>
			<Button label="Previous page" disabled={page <= 1} onPress={() => onPage(page - 1)}>
				<Icon name="previous" />
			</Button>
			<span role="status">
				{total_items === 0 ? 'None' : `${grouped(first)} – ${grouped(last)} of ${grouped(total_items)}`}
			</span>
			<Button label="Next page" disabled={page >= total_pages} onPress={() => onPage(page + 1)}>
				<Icon name="next" />
			</Button>
		</nav>
	);
}
