import type { VNode } from 'preact';
import type { Alternative } from '../api/shapes.ts';
import { Button } from '../parts/button.tsx';
import { shortDate, span } from '../times.ts';

interface Props {
	list: Alternative[];
	onChoose: (alternative: Alternative) => void;
}

/** What can be had in place of what was refused */
export function Alternatives({ list, onChoose }: Props): VNode | null {
	if (list.length === 0) return null;
	return (
		<section class="alternatives" aria-label="Free times nearby">
			<p>Free nearby:</p>
			<div class="chips">
				{list.map((one) => (
					<Button key={`${one.time_slot_id} ${one.date}`} onPress={() => onChoose(one)}>
						{shortDate(one.date)}, {span(one)}
					</Button>
				))}
			</div>
		</section>
	);
}
