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
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { type Config, SERVICE_NAMES } from '../config/config.ts';
import type { Logger } from '../log/log.ts';
import { productVersion } from '../process/product-version.ts';
import { ExportComplaints } from './export-complaints.ts';
import { OtelTracing } from './otel-tracing.ts';
import { samplerOf } from './sampler.ts';
import { ToldExporter } from './told-exporter.ts';
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
