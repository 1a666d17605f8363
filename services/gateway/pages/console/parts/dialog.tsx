import type { ComponentChildren, VNode } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button } from './button.tsx';
import { Icon } from './icons.tsx';
import { Failure } from './notices.tsx';

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
	/** Its failure is shown in the dialog, which stays open */
	onAct: () => Promise<unknown>;
	onClose: () => void;
}

/** A modal form. The browser keeps the focus in it, closes it by Escape, and gives the focus back. */
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
		return () => before?.focus?.();
	}, []);
	const act = async (event: Event) => {
		event.preventDefault();
		if (isBusy) return;
		setBusy(true);
		setFailure(undefined);
		try {
			await onAct();
		} catch (error) {
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
					<Button type="submit" kind={danger ? 'danger' : 'main'} writes={writes} disabled={disabled || isBusy}>
						{isBusy ? 'One moment…' : action}
					</Button>
				</footer>
			</form>
		</dialog>
	);
}
