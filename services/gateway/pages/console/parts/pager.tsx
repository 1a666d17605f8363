import type { VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
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

/** Whose page was turned, and which way: until the other page is there, its list is not shown. */
let turned: { what: string; by: 1 | -1 } | undefined;

export function Pager({
	what,
	pagination: { page, page_size, total_items, total_pages },
	onPage,
}: Props): VNode | null {
	const nav = useRef<HTMLElement>(null);
	// Whoever turns pages by keyboard finds the button where it was.
	useLayoutEffect(() => {
		if (turned?.what !== what || nav.current === null) return;
		const [previous, next] = nav.current.querySelectorAll('button');
		const [pressed, other] = turned.by === 1 ? [next!, previous!] : [previous!, next!];
		(pressed.disabled ? other : pressed).focus();
		turned = undefined;
	}, []);
	const turn = (by: 1 | -1) => {
		turned = { what, by };
		onPage(page + by);
	};
	if (total_pages <= 1 && page === 1) return null;
	const first = (page - 1) * page_size + 1;
	const last = Math.min(page * page_size, total_items);
	return (
		<nav ref={nav} class="pager" aria-label={`Pages of ${what}`}>
			<Button label="Previous page" disabled={page <= 1} onPress={() => turn(-1)}>
				<Icon name="previous" />
			</Button>
			<span role="status">
				{total_items === 0 ? 'None' : `${grouped(first)} – ${grouped(last)} of ${grouped(total_items)}`}
			</span>
			<Button label="Next page" disabled={page >= total_pages} onPress={() => turn(1)}>
				<Icon name="next" />
			</Button>
		</nav>
	);
}
