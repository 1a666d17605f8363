import type { VNode } from 'preact';

/** Drawn on 24 × 24 with lines of 1.75; they take the colour of the text, and say nothing to a screen reader. */
const PATHS = {
	calendar:
		'M4 7.5A2.5 2.5 0 0 1 6.5 5h11A2.5 2.5 0 0 1 20 7.5v10a2.5 2.5 0 0 1-2.5 2.5h-11A2.5 2.5 0 0 1 4 17.5zM4 10h16M8 3v4M16 3v4',
	people:
		'M9 11.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20a6.5 6.5 0 0 1 13 0M16 4.9a3.5 3.5 0 0 1 0 6.2M18 14.3a6.5 6.5 0 0 1 3.5 5.7',
	activity: 'M3 12h4l3-8 4 16 3-8h4',
	webhook: 'M4 12h10M10 7l5 5-5 5M14 4h4a2 2 0 0 1 2 2v12a2 2 0 0 1-2 2h-4',
	usage: 'M4 20V4M4 20h16M8 16l3.5-5 3 3L20 7',
	close: 'M6 6l12 12M18 6L6 18',
	previous: 'M15 5l-7 7 7 7',
	next: 'M9 5l7 7-7 7',
	plus: 'M12 5v14M5 12h14',
	leave: 'M10 4H6a2 2 0 0 0-2 2v12a2 2 0 0 0 2 2h4M15 8l4 4-4 4M19 12H9',
	trash: 'M4 7h16M9 7V4.5h6V7M6.5 7l1 13h9l1-13',
	warning: 'M12 4 2.5 20h19zM12 10v5M12 17.8v.2',
	done: 'M5 12.5l4.5 4.5L19 7',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }): VNode {
	return (
		<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
			<path d={PATHS[name]} />
		</svg>
	);
}

/** The mark of the product, as it is in the tab of the browser */
export function Mark(): VNode {
	return (
		<svg class="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
			<rect width="32" height="32" rx="7" />
			<path d="M9 16.5l5 5 9.5-11" />
		</svg>
	);
}
