import { signal } from '@preact/signals';
import type { ComponentChildren, VNode } from 'preact';
import type { Resource } from '../api/resource.ts';
import { Icon } from './icons.tsx';

interface Notice {
	id: number;
	kind: 'done' | 'failed';
	text: string;
}

/** ms that a notice of a success stays; one of a failure stays until it is closed */
const STAYS = 6_000;
const MOST = 4;

const notices = signal<Notice[]>([]);
let last = 0;

export function tell(text: string, kind: Notice['kind'] = 'done'): void {
	const id = ++last;
	notices.value = [...notices.value, { id, kind, text }].slice(-MOST);
	if (kind === 'done') setTimeout(() => dismiss(id), STAYS);
}

/** What was given up because its view was closed is no failure. */
export function tellFailure(error: Error): void {
	if (error.name !== 'AbortError') tell(error.message, 'failed');
}

export function dismissAll(): void {
	notices.value = [];
}

function dismiss(id: number): void {
	notices.value = notices.value.filter((notice) => notice.id !== id);
}

/** Read out by a screen reader as they come */
export function Notices(): VNode {
	return (
		<div class="notices" role="status" aria-live="polite">
			{notices.value.map(({ id, kind, text }) => (
				<div key={id} class={`notice ${kind}`}>
					<Icon name={kind === 'done' ? 'done' : 'warning'} />
					<span>{text}</span>
					<button type="button" class="button quiet" aria-label="Close this notice" onClick={() => dismiss(id)}>
						<Icon name="close" />
					</button>
				</div>
			))}
		</div>
	);
}

/** A failure in the place of what could not be shown or done */
export function Failure({ error }: { error: Error | undefined }): VNode | null {
	if (error === undefined || error.name === 'AbortError') return null;
	return (
		<p class="failure" role="alert">
			<Icon name="warning" />
			<span>{error.message}</span>
		</p>
	);
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }): VNode {
	return (
		<div class="empty">
			<p class="empty-title">{title}</p>
			{children}
		</div>
	);
}

interface ShownProps<T> {
	of: Resource<T>;
	children: (data: T) => ComponentChildren;
}

/** What was read; until then that it is being read, or why it cannot be */
export function Shown<T>({ of: { data, failure }, children }: ShownProps<T>): VNode {
	if (data !== undefined) {
		return (
			<>
				<Failure error={failure} />
				{children(data)}
			</>
		);
	}
	if (failure !== undefined) return <Failure error={failure} />;
	return (
		<div class="loading" role="status">
			<span class="hidden">Loading</span>
			<span class="line" />
			<span class="line" />
			<span class="line" />
		</div>
	);
}
