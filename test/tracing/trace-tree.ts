import type { CollectedSpan } from '../support/trace-collector.ts';

/** What a line says beside name, process and time. */
const TOLD = ['http.response.status_code', 'slotwise.refusal', 'error.type', 'slotwise.batch.size'];

/** A trace as a tree, a line for each span: name, process, when it began and for how long it took. */
export function traceTree(spans: CollectedSpan[]): string {
	const ids = new Set(spans.map(({ spanId }) => spanId));
	const roots = spans.filter(({ parentSpanId }) => !ids.has(parentSpanId));
	const begin = Math.min(...spans.map(({ start }) => start));
	const lines = roots.flatMap((root) => branch(root, spans, 0));
	const width = Math.max(...lines.map(({ text }) => text.length));
	return lines
		.map(({ text, span }) => {
			const at = (span.start - begin).toFixed(1).padStart(7);
			const took = span.duration.toFixed(1).padStart(6);
			return `${text.padEnd(width)}  ${at} +${took} ms  ${span.service}${notesOf(span)}`;
		})
		.join('\n');
}

interface Line {
	text: string;
	span: CollectedSpan;
}

function branch(span: CollectedSpan, spans: CollectedSpan[], depth: number): Line[] {
	const children = spans.filter(({ parentSpanId }) => parentSpanId === span.spanId);
	return [
		{ text: `${'  '.repeat(depth)}${span.name}`, span },
		...children.flatMap((child) => branch(child, spans, depth + 1)),
	];
}

function notesOf({ attributes, links }: CollectedSpan): string {
	const notes = TOLD.flatMap((name) => (name in attributes ? [`${name.split('.').at(-1)}=${attributes[name]}`] : []));
	if (links.length > 0) notes.push(`links=${links.length}`);
	return notes.length > 0 ? `  ${notes.join(' ')}` : '';
}
