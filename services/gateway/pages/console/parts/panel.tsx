import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from './button.tsx';
import { giveFocusBack } from './focus.ts';
import { Icon } from './icons.tsx';

interface Props {
	title: string;
	/** Above the title, such as the way back */
	above?: ComponentChildren;
	children: ComponentChildren;
	/** Another thing is another panel: the focus goes to it. */
	of: string;
	onClose: () => void;
}

/** What had the focus before a panel came, also where one panel followed another */
let opener: HTMLElement | undefined;

function noteOpener(): void {
	const { activeElement: before } = document;
	if (before instanceof HTMLElement && before !== document.body && before.closest('.panel') === null) opener = before;
}

/** What is open of a page, at its side; on a telephone in its place. It takes the focus, gives it back, and Escape closes it. */
export function Panel({ title, above, children, of, onClose }: Props): VNode {
	const heading = useRef<HTMLHeadingElement>(null);
	const id = useId();
	useLayoutEffect(() => {
		noteOpener();
		return () => queueMicrotask(() => document.querySelector('.panel') === null && giveFocusBack(opener));
	}, []);
	useEffect(() => heading.current!.focus(), [of]);
	useLayoutEffect(() => {
		// At once: a key that is pressed before the next frame counts. What lies above is closed by the same key, and is still
		// there when this hears of it first.
		const close = (event: KeyboardEvent) => {
			if (event.key === 'Escape' && document.querySelector('dialog[open], .whole-day') === null) onClose();
		};
		addEventListener('keydown', close, true);
		return () => removeEventListener('keydown', close, true);
	});
	return (
		<aside class="panel" aria-labelledby={id}>
			<header>
				<div>
					{above}
					<h2 id={id} ref={heading} tabIndex={-1}>
						{title}
					</h2>
				</div>
				<Button kind="quiet" label="Close this panel" onPress={onClose}>
					<Icon name="close" />
				</Button>
			</header>
			<div class="panel-body">{children}</div>
		</aside>
	);
}
