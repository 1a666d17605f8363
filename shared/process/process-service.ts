import type { ServiceSchema } from 'moleculer';
import type { Handlers } from '../contract/actions.ts';
import { productVersion } from './product-version.ts';
import type { Readiness } from './readiness.ts';

/** What every process tells operators about itself, whatever services it runs. */
export function processService(readiness: Readiness): ServiceSchema {
	const actions: Handlers<'ops'> = {
		async process() {
			const { ready, state, checks } = await readiness.report();
			return {
				pid: process.pid,
				version: productVersion,
				uptime: Math.round(process.uptime()),
				memory: Math.round(process.memoryUsage.rss() / 2 ** 20),
				ready,
				state,
				checks,
			};
		},
	};
	return { name: 'ops', actions };
}
