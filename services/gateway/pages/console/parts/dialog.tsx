import type { ComponentChildren, VNode } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { session } from '../api/session.ts';
import { Button } from './button.tsx';
import { giveFocusBack } from './focus.ts';
import { Icon } from './icons.tsx';
import { Failure, tellFailure } from './notices.tsx';

interface Props {
	title: string;
	/** What the button says that does it */
	action: string;
	danger?: boolean;
	wide?: boolean;
	/** Whether it changes something, as most do */
	writes?: boolean;
	disabled?: boolean;
	children: ComponentChildren;
	/** Beside the button, such as a preview */
	beside?: ComponentChildren;
	/** Its failure is shown in the dialog, which stays open; where somebody has closed it meanwhile, it is told */
	onAct: () => Promise<unknown>;
	onClose: () => void;
}

/** A modal form. Its first field has the focus; the browser keeps it inside, closes it by Escape, and gives the focus back. */
export function Dialog({
	title,
	action,
	danger,
	wide,
	writes = true,
	disabled,
	children,
	beside,
	onAct,
	onClose,
}: Props): VNode {
	const dialog = useRef<HTMLDialogElement>(null);
	const heading = useId();
	const [failure, setFailure] = useState<Error>();
	const [isBusy, setBusy] = useState(false);
	useLayoutEffect(() => {
		const before = document.activeElement as HTMLElement | null;
		dialog.current!.showModal();
		dialog.current!.querySelector<HTMLElement>('.dialog-body :is(input, select, textarea)')?.focus();
		return () => queueMicrotask(() => giveFocusBack(before)); // while it is modal, nothing behind it can have the focus
	}, []);
	const act = async (event: Event) => {
		event.preventDefault();
		if (isBusy) return;
		setBusy(true);
		setFailure(undefined);
		try {
			await onAct();
		} catch (error) {
			if (dialog.current === null && session.value !== undefined) tellFailure(error as Error);
			setFailure(error as Error);
			setBusy(false);
		}
	};
	return (
		<dialog ref={dialog} class={wide ? 'dialog wide' : 'dialog'} aria-labelledby={heading} onClose={onClose}>
			<form onSubmit={(event) => void act(event)} autocomplete="off">
				<header>
					<h2 id={heading}>{title}</h2>
					<Button kind="quiet" label="Close" onPress={() => dialog.current!.close()}>
						<Icon name="close" />
					</Button>
				</header>
				<div class="dialog-body">
					{children}
					<Failure error={failure} />
				</div>
				<footer>
					{beside}
					<Button onPress={() => dialog.current!.close()}>Not now</Button>
					<Button type="submit" kind={danger ? 'danger' : 'main'} writes={writes} disabled={disabled}>
						{isBusy ? 'One moment…' : action}
					</Button>
				</footer>
			</form>
		</dialog>
	);
}
