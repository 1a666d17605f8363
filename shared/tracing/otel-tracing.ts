import { AsyncLocalStorage } from 'node:async_hooks';
import { type Link, ROOT_CONTEXT, type Span, SpanKind, type Tracer, trace } from '@opentelemetry/api';
import { noteError } from './note-error.ts';
import { parseTraceparent, type SpanOptions, type Tracing } from './tracing.ts';

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT };

/** Traces by OpenTelemetry. The current span follows the code through promises and timers, not through queues. */
export class OtelTracing implements Tracing {
	readonly #tracer: Tracer;
	readonly #current = new AsyncLocalStorage<Span | undefined>();
	readonly close: () => Promise<void>;

	/** @param close sends what is left */
	constructor(tracer: Tracer, close: () => Promise<void>) {
		this.#tracer = tracer;
		this.close = close;
	}

	current(): Span | undefined {
		return this.#current.getStore();
	}

	within<T>(span: Span | undefined, work: () => T): T {
		return this.#current.run(span, work);
	}

	start(name: string, options: SpanOptions = {}): Span {
		return this.#start(name, options);
	}

	async span<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
		return this.#run(this.#start(name, options), work);
	}

	remote(traceparent: string | undefined): Span | undefined {
		const context = traceparent === undefined ? undefined : parseTraceparent(traceparent);
		return context && trace.wrapSpanContext(context);
	}

	/** Of the members, the first that is recorded shows the work; a sampler may have left out those before it. */
	batch<T>(name: string, members: (Span | undefined)[], work: () => Promise<T>): Promise<T> {
		const different = new Map(members.flatMap((span) => (span ? [[span.spanContext().spanId, span]] : [])));
		const spans = [...different.values()];
		if (spans.length < 2) return this.within(spans[0], work);
		const parent = spans.find((span) => isSampled(span)) ?? spans[0];
		const others = spans.filter((span) => span !== parent);
		const attributes = { 'slotwise.batch.size': members.length };
		const links = others.map((span) => ({ context: span.spanContext() }));
		const shared = this.#start(name, { parent, attributes }, links);
		const link = { context: shared.spanContext() };
		for (const span of others) if (span.isRecording()) span.addLink(link); // one may have ended, or be another process's
		return this.#run(shared, work);
	}

	#start(name: string, { kind, attributes = {}, parent = this.current() }: SpanOptions, links: Link[] = []): Span {
		const context = parent === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, parent);
		return this.#tracer.startSpan(name, { kind: kind ? KINDS[kind] : SpanKind.INTERNAL, attributes, links }, context);
	}

	#run<T>(span: Span, work: (span: Span) => Promise<T>): Promise<T> {
		return this.within(span, async () => {
			try {
				return await work(span);
			} catch (error) {
				noteError(span, error);
				throw error;
			} finally {
				span.end();
			}
		});
	}
}

function isSampled(span: Span): boolean {
	return (span.spanContext().traceFlags & 1) === 1;
}
