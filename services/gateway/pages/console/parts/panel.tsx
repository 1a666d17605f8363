import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Button } from './button.tsx';
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

/** What is open of a page, at its side; on a telephone in its place. It takes the focus, and Escape closes it. */
export function Panel({ title, above, children, of, onClose }: Props): VNode {
	const heading = useRef<HTMLHeadingElement>(null);
	const id = useId();
	const panel = useRef<HTMLElement>(null);
	const hadFocus = useRef(false);
	useEffect(() => heading.current!.focus(), [of]);
	useEffect(() => {
		const note = ({ target }: FocusEvent) => {
			hadFocus.current = panel.current!.contains(target as Node);
		};
		addEventListener('focusin', note);
		return () => removeEventListener('focusin', note);
	}, []);
	// What had the focus may be gone, as a button is that confirms what is confirmed.
	useEffect(() => {
		if (hadFocus.current && document.activeElement === document.body) heading.current!.focus();
	});
	useEffect(() => {
		const close = (event: KeyboardEvent) => {
			if (event.key === 'Escape' && document.querySelector('dialog[open]') === null) onClose();
		};
		addEventListener('keydown', close);
		return () => removeEventListener('keydown', close);
	});
	return (
		<aside class="panel" ref={panel} aria-labelledby={id}>
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
