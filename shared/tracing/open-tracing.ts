import type { Config } from '../config/config.ts';
import type { Logger } from '../log/log.ts';
import { tracing, useTracing } from './tracing.ts';

/** Turns traces on where they are configured. Nothing of OpenTelemetry's SDK is loaded otherwise. */
export async function openTracing(config: Config, logger: Logger): Promise<void> {
	if (config.otlpEndpoint === undefined) return;
	const { exportTraces } = await import('./export-traces.ts');
	useTracing(exportTraces(config, config.otlpEndpoint, logger));
}

/** Sends what is left. Never rejects, and takes no longer than a second. */
export async function closeTracing(): Promise<void> {
	const open = tracing;
	useTracing(undefined);
	await open?.close();
}
