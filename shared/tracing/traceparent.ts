import type { Span, SpanContext } from '@opentelemetry/api';
import { tracing } from './tracing.ts';

const VERSION_0 = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const SAMPLED = 1;

/** A span as W3C's Trace Context writes it (https://www.w3.org/TR/trace-context/). */
export function traceparentOf(span: Span): string {
	const { traceId, spanId, traceFlags } = span.spanContext();
	return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

/** Undefined where it is malformed: whoever gets such a one begins a trace of its own (§4.3). */
export function parseTraceparent(text: string): SpanContext | undefined {
	const [, version, traceId, spanId, flags, rest] = VERSION_0.exec(text) ?? [];
	if (traceId === undefined || spanId === undefined || version === 'ff' || (version === '00' && rest)) return undefined;
	if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
	return { traceId, spanId, traceFlags: Number.parseInt(flags!, 16) & SAMPLED, isRemote: true };
}

/** What goes with an event, so that its deliveries belong to the request that caused it; nothing where traces are off. */
export function traceOfEvent(): { traceparent?: string } {
	const span = tracing?.current();
	return span === undefined ? {} : { traceparent: traceparentOf(span) };
}
