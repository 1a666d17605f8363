import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as it came over the wire. */
export interface CollectedSpan {
	traceId: string;
	spanId: string;
	/** '' where it begins the trace in this product */
	parentSpanId: string;
	name: string;
	/** `service.name` of the process that made it */
	service: string;
	kind: 'internal' | 'server' | 'client' | 'other';
	attributes: Record<string, string | number | boolean>;
	isError: boolean;
	/** ms since the epoch, and how long it took */
	start: number;
	duration: number;
	/** Ids of the spans that it links to */
	links: string[];
}

interface Value {
	stringValue?: string;
	intValue?: number | string;
	doubleValue?: number;
	boolValue?: boolean;
}
type Attributes = { key: string; value: Value }[];

interface WireSpan {
	traceId: string;
	spanId: string;
	parentSpanId?: string;
	name: string;
	kind: number;
	attributes?: Attributes;
	status?: { code?: number };
	startTimeUnixNano: string;
	endTimeUnixNano: string;
	links?: { spanId: string }[];
}

interface Message {
	resourceSpans: { resource: { attributes: Attributes }; scopeSpans: { spans: WireSpan[] }[] }[];
}

const KINDS = { 1: 'internal', 2: 'server', 3: 'client' } as const;

/** A collector of traces on 127.0.0.1: what it gets by OTLP over HTTP, as JSON, it keeps. */
export class TraceCollector {
	/** Each message as it came */
	readonly bodies: string[] = [];
	/** Paths that were asked for */
	readonly paths: string[] = [];
	/** `hangs`: takes messages and never answers */
	mode: 'answers' | 'hangs' = 'answers';
	readonly #server: Server;

	private constructor(server: Server) {
		this.#server = server;
	}

	static async start(): Promise<TraceCollector> {
		const server = createServer();
		const collector = new TraceCollector(server);
		server.on('request', async (request, response) => {
			const chunks: Buffer[] = [];
			for await (const chunk of request) chunks.push(chunk as Buffer);
			collector.paths.push(request.url!);
			collector.bodies.push(Buffer.concat(chunks).toString('utf8'));
			if (collector.mode === 'answers') response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
		});
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		return collector;
	}

	/** For `OTEL_EXPORTER_OTLP_ENDPOINT` */
	get url(): string {
		return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
	}

	get spans(): CollectedSpan[] {
		return this.bodies.flatMap((body) =>
			(JSON.parse(body) as Message).resourceSpans.flatMap(({ resource, scopeSpans }) => {
				const service = String(valuesOf(resource.attributes)['service.name']);
				return scopeSpans.flatMap(({ spans }) => spans.map((span) => readSpan(span, service)));
			}),
		);
	}

	/** The spans of one trace, in order of their beginning. */
	of(traceId: string): CollectedSpan[] {
		return this.spans.filter((span) => span.traceId === traceId).sort((a, b) => a.start - b.start);
	}

	async stop(): Promise<void> {
		this.#server.closeAllConnections();
		await new Promise((resolve) => this.#server.close(resolve));
	}
}

function readSpan(span: WireSpan, service: string): CollectedSpan {
	const start = Number(BigInt(span.startTimeUnixNano) / 1_000n) / 1_000;
	return {
		traceId: span.traceId,
		spanId: span.spanId,
		parentSpanId: span.parentSpanId ?? '',
		name: span.name,
		service,
		kind: KINDS[span.kind as 1 | 2 | 3] ?? 'other',
		attributes: valuesOf(span.attributes ?? []),
		isError: span.status?.code === 2,
		start,
		duration: Number(BigInt(span.endTimeUnixNano) / 1_000n) / 1_000 - start,
		links: (span.links ?? []).map(({ spanId }) => spanId),
	};
}

function valuesOf(attributes: Attributes): Record<string, string | number | boolean> {
	return Object.fromEntries(attributes.map(({ key, value }) => [key, plain(value)]));
}

function plain({ stringValue, intValue, doubleValue, boolValue }: Value): string | number | boolean {
	if (intValue !== undefined) return Number(intValue);
	return stringValue ?? doubleValue ?? boolValue ?? '';
}
