/** What had the focus last, and whether it was in a panel */
let last: { element: HTMLElement; wasInPanel: boolean } | undefined;

/**
 * Gives the focus to what had it before, and where that is gone, to what is nearest: nobody who works by keyboard is sent
 * back to the top of the page. Where something else has it by now, that keeps it.
 */
export function giveFocusBack(before?: HTMLElement | null): void {
	const modal = document.querySelector<HTMLElement>('dialog[open] :is(.dialog-body :is(input, select), button)');
	const heading = document.querySelector<HTMLElement>('.panel h2');
	for (const place of [before, modal, heading, document.getElementById('content')]) {
		if (document.activeElement !== document.body) return;
		if (place?.isConnected) place.focus({ preventScroll: true });
	}
}

/** What has the focus may go, or be disabled, while something is read again, closed or removed: watches for that. */
export function keepFocus(): void {
	addEventListener('focusin', ({ target }) => {
		if (target instanceof HTMLElement) last = { element: target, wasInPanel: target.closest('.panel') !== null };
	});
	// After what knows better where the focus belongs
	const observer = new MutationObserver(() => queueMicrotask(look));
	observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] });
}

function look(): void {
	if (last === undefined) return;
	const { element, wasInPanel } = last;
	if (element.isConnected && !element.matches(':disabled')) return;
	if (document.activeElement === element) element.blur(); // the browser would, at the next frame
	last = undefined;
	giveFocusBack(wasInPanel ? undefined : document.getElementById('content'));
}
