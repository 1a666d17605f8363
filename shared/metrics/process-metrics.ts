import { collectDefaultMetrics } from 'prom-client';
import type { Config } from '../config/config.ts';
import type { Metrics } from './metrics.ts';

/**
 * What every process has: processor, memory, garbage collection, open files, the event loop's lag (under the names that
 * every Node.js program gives them), and what was built and started.
 */
export function processMetrics(metrics: Metrics, config: Config, version: string): void {
	collectDefaultMetrics({ register: metrics.registry });
	const labels = { version, node: process.versions.node, form: config.form, services: config.services.join(' ') };
	metrics.gauge('build_info', 'Always 1: what runs here', () => [{ labels, value: 1 }]);
}
