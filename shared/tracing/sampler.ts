import {
	AlwaysOffSampler,
	AlwaysOnSampler,
	ParentBasedSampler,
	type Sampler,
	TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';
import type { Values } from '../config/variables.ts';

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
