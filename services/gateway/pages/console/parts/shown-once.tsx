import type { ComponentChildren, VNode } from 'preact';
import { Dialog } from './dialog.tsx';
import { tell } from './notices.tsx';

interface Props {
	title: string;
	secret: string;
	/** What is told once it is in the clipboard */
	told: string;
	/** What it is for */
	children: ComponentChildren;
	onClose: () => void;
}

/** What the API tells only this once: the tab forgets it when the dialog is closed. */
export function ShownOnce({ title, secret, told, children, onClose }: Props): VNode {
	const copy = async () => {
		if (navigator.clipboard === undefined) throw new Error('Here the browser lets no page copy: copy it by hand.');
		await navigator.clipboard.writeText(secret);
		tell(told);
		onClose();
	};
	return (
		<Dialog title={title} action="Copy and close" writes={false} onAct={copy} onClose={onClose}>
			<p>{children} It is shown this once.</p>
			<code class="secret">{secret}</code>
		</Dialog>
	);
}
