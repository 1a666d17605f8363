import type { VNode } from 'preact';

/** A word with a colour; the word alone says it, too. */
export function Badge({ kind, children }: { kind: string; children: string }): VNode {
	return <span class={`badge ${kind}`}>{children}</span>;
}
