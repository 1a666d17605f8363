import type { ComponentChildren, VNode } from 'preact';
import { useState } from 'preact/hooks';
import { mayWrite } from '../api/session.ts';
import { tellFailure } from './notices.tsx';

interface Props {
	children: ComponentChildren;
	/** `main` once a view at most */
	kind?: 'main' | 'plain' | 'danger' | 'quiet';
	/** Where the children are no text */
	label?: string;
	/** Whether it changes something: a key that only reads sees it, and cannot press it */
	writes?: boolean;
	disabled?: boolean;
	type?: 'button' | 'submit';
	/** Its failure is told, unless it is caught here */
	onPress?: () => unknown;
}

/** While what it does is under way, pressing it again does nothing; it keeps the focus. */
export function Button({ children, kind = 'plain', label, writes, disabled, type = 'button', onPress }: Props): VNode {
	const [isBusy, setBusy] = useState(false);
	const isForbidden = writes === true && !mayWrite();
	const press = async () => {
		if (isBusy) return;
		setBusy(true);
		try {
			await onPress?.();
		} catch (error) {
			tellFailure(error as Error);
		} finally {
			setBusy(false);
		}
	};
	return (
		<button
			type={type}
			class={`button ${kind}`}
			aria-label={label}
			title={isForbidden ? 'This key can only read' : label}
			disabled={disabled || isForbidden}
			aria-busy={isBusy}
			onClick={onPress && (() => void press())}
		>
			{children}
		</button>
	);
}
