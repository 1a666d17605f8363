import { readFileSync } from 'node:fs';
import type { ServiceSchema } from 'moleculer';
import type { Handlers } from '../actions.ts';
import type { Readiness } from '../runtime/readiness.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
	version: string;
};

/** What every process tells operators about itself, whatever services it runs. */
export function processService(readiness: Readiness): ServiceSchema {
	const actions: Handlers<'ops'> = {
		async process() {
			const { ready, state, checks } = await readiness.report();
			return {
				pid: process.pid,
				version,
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
