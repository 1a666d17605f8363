import type { Attributes, Span, SpanContext } from '@opentelemetry/api';

export type { Span } from '@opentelemetry/api';

export interface SpanOptions {
	/** `server` and `client` are the two ends of something that leaves the process; default `internal` */
	kind?: 'server' | 'client';
	/** Names of OpenTelemetry's conventions, or `slotwise.…`. Never a key, a text of a client, or personal data. */
	attributes?: Attributes;
	/** Default: the current span. Without either it begins a trace. */
	parent?: Span | undefined;
}

/**
 * What a process does where traces are on. A trace begins with a request at the gateway, or with what a client says in
 * `traceparent`. Work that belongs to no request has no current span, and what looks at that makes none of its own:
 * sweeps and timers would otherwise fill the collector with traces of nothing.
 */
export interface Tracing {
	/** The span that the running code belongs to */
	current(): Span | undefined;
	/** Runs `work` as a part of a span; of none where it is undefined. */
	within<T>(span: Span | undefined, work: () => T): T;
	/** A span that its caller ends. */
	start(name: string, options?: SpanOptions): Span;
	/** A span that ends with `work`; a rejection is noted in it. */
	span<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T>;
	/** A span of another process, or of earlier, to be a parent; undefined where the text is no W3C `traceparent`. */
	remote(traceparent: string | undefined): Span | undefined;
	/** See {@link inBatch}. */
	batch<T>(name: string, members: (Span | undefined)[], work: () => Promise<T>): Promise<T>;
	/** Sends what is left; takes a second at most. */
	close(): Promise<void>;
}

/** Undefined unless traces are configured. One for each process, as collectors expect; set once, at the start. */
export let tracing: Tracing | undefined;

export function useTracing(chosen: Tracing | undefined): void {
	tracing = chosen;
}

/** As {@link Tracing.within}; where traces are off, it only runs `work`. */
export function within<T>(span: Span | undefined, work: () => T): T {
	return tracing === undefined ? work() : tracing.within(span, work);
}

/**
 * Runs what several requests wait for together. It belongs to the trace of the first of them; the others link to it,
 * and it to them. Where it serves a single one it is simply a part of that one's span.
 * @param members the span of each that waits; some may have none
 */
export function inBatch<T>(name: string, members: () => (Span | undefined)[], work: () => Promise<T>): Promise<T> {
	return tracing === undefined ? work() : tracing.batch(name, members(), work);
}

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
