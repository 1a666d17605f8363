import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { diag } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
	defaultResource,
	detectResources,
	envDetector,
	type Resource,
	resourceFromAttributes,
} from '@opentelemetry/resources';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import {
	AlwaysOffSampler,
	AlwaysOnSampler,
	BatchSpanProcessor,
	ParentBasedSampler,
	type Sampler,
	TraceIdRatioBasedSampler,
	TracerProvider,
} from '@opentelemetry/sdk-trace';
import { type Config, SERVICE_NAMES } from '../config/config.ts';
import type { Values } from '../config/variables.ts';
import { type Clock, systemClock } from '../engine/clock.ts';
import type { Logger } from '../log/log.ts';
import { productVersion } from '../process/product-version.ts';
import { OtelTracing } from './otel-tracing.ts';
import type { Tracing } from './tracing.ts';

/** Spans that wait for the collector; what comes while it is full is lost, so a dead collector costs no more memory */
const MOST_WAITING = 8_192;
/** ms in which spans are gathered, unless 512 are there before */
const GATHER = 1_000;
/** ms for a message to the collector, tries included */
const SEND_LIMIT = 10_000;
/** ms for the last spans when the process stops */
const CLOSE_LIMIT = 1_000;

/**
 * Sends spans to a collector by OTLP over HTTP, as JSON.
 * @param endpoint the base of its addresses; traces go to `<endpoint>/v1/traces`, as OTLP's specification has it
 */
export function exportTraces(config: Config, endpoint: string, logger: Logger): Tracing {
	const complaints = new ExportComplaints(logger);
	const quiet = () => {};
	const warn = (message: string) => complaints.tell(message);
	diag.setLogger({ error: quiet, warn, info: quiet, debug: quiet, verbose: quiet }, { suppressOverrideMessage: true });
	const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`;
	const exporter = new ToldExporter(new OTLPTraceExporter({ url, timeoutMillis: SEND_LIMIT }), complaints);
	const provider = new TracerProvider({
		resource: resourceOf(config),
		sampler: samplerOf(config.tracesSampler, config.tracesSamplerArg),
		spanProcessors: [
			new BatchSpanProcessor({
				exporter,
				maxQueueSize: MOST_WAITING,
				scheduledDelayMillis: GATHER,
				exportTimeoutMillis: SEND_LIMIT,
			}),
		],
	});
	const close = async () => {
		await Promise.race([provider.shutdown().catch(() => {}), delay(CLOSE_LIMIT, undefined, { ref: false })]);
	};
	return new OtelTracing(provider.getTracer('slotwise', productVersion), close);
}

/** Who speaks. A process with a part of the services is one of its own in a collector's maps. The environment wins. */
function resourceOf({ services, namespace }: Config): Resource {
	const isWhole = services.length === SERVICE_NAMES.length;
	const own = resourceFromAttributes({
		'service.name': isWhole ? 'slotwise' : `slotwise-${services.join('-')}`,
		'service.namespace': namespace,
		'service.version': productVersion,
		'service.instance.id': `${hostname().toLowerCase()}-${process.pid}`, // its name on the bus, too
	});
	return defaultResource()
		.merge(own)
		.merge(detectResources({ detectors: [envDetector] }));
}

/**
 * Which traces are kept, in the words of OpenTelemetry's specification. `parentbased_…` does what the client's
 * `traceparent` says where it sends one.
 * @param ratio 0 to 1, for the samplers that take one
 */
export function samplerOf(name: Values['OTEL_TRACES_SAMPLER'], ratio: number): Sampler {
	const samplers: Record<string, () => Sampler> = {
		always_on: () => new AlwaysOnSampler(),
		always_off: () => new AlwaysOffSampler(),
		traceidratio: () => new TraceIdRatioBasedSampler(ratio),
	};
	const own = samplers[name.replace('parentbased_', '')]!();
	return name.startsWith('parentbased_') ? new ParentBasedSampler({ root: own }) : own;
}

/** An exporter whose failures are told, which the SDK keeps to itself. */
export class ToldExporter implements SpanExporter {
	readonly #exporter: SpanExporter;
	readonly #complaints: ExportComplaints;

	constructor(exporter: SpanExporter, complaints: ExportComplaints) {
		this.#exporter = exporter;
		this.#complaints = complaints;
	}

	export(...[spans, callback]: Parameters<SpanExporter['export']>): void {
		this.#exporter.export(spans, (result) => {
			if (result.error) this.#complaints.tell(reasonOf(result.error));
			else this.#complaints.settle();
			callback(result);
		});
	}

	async shutdown(): Promise<void> {
		await this.#exporter.shutdown();
	}
}

/** An error that stands for several, such as one an address, has no message. */
function reasonOf(error: Error & { code?: unknown }): string {
	return error.message || String(error.code ?? error.name);
}

/** ms between two lines */
const AT_MOST_EVERY = 60_000;

/** Says that spans are lost: once, and then once a minute for as long as it lasts. */
export class ExportComplaints {
	readonly #logger: Logger;
	readonly #clock: Clock;
	#toldAt: number | undefined;
	#failures = 0;

	constructor(logger: Logger, clock: Clock = systemClock) {
		this.#logger = logger;
		this.#clock = clock;
	}

	tell(reason: string): void {
		this.#failures++;
		const now = this.#clock.monotonic();
		if (this.#toldAt !== undefined && now - this.#toldAt < AT_MOST_EVERY) return;
		this.#toldAt = now;
		this.#logger.warn({ reason, failures: this.#failures }, 'spans of traces are lost; nothing else is');
	}

	/** Spans arrived. */
	settle(): void {
		if (this.#failures === 0) return;
		this.#logger.info({ failures: this.#failures }, 'spans of traces arrive again');
		this.#failures = 0;
	}
}
