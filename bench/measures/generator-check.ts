import autocannon from 'autocannon';
import type { Measure } from '../comparison.ts';
import { Forked } from '../forked.ts';
import { loadSide } from '../side.ts';

/**
 * Whether the generator is good enough: against a server that does nothing it must reach what autocannon reaches, and not
 * be the one that is busy. Its own share of a core is printed with every measure.
 */
export const generatorCheck: Measure = {
	name: 'generator',
	form: 'embedded',
	title: 'the generator / autocannon, on a bare Node server',
	unit: '/s',
	goal: { atLeast: 0.9 },
	async prepare(bench) {
		const { process: server, url } = await bench.part('bare Node', async () => {
			const process = new Forked<string, never, never>(new URL('../baselines/bare-node.ts', import.meta.url));
			return { process, url: await process.ready, stop: () => process.stop() };
		});
		return {
			ours: loadSide(bench, {
				name: 'ours',
				url,
				pids: [server.pid],
				recipe: () => ({ kind: 'same', method: 'GET', path: '/' }),
				expect: [200],
			}),
			baseline: {
				name: 'autocannon',
				async measure(seconds) {
					const { requests, duration } = await autocannon({
						url,
						connections: bench.options.clients,
						duration: Math.ceil(seconds),
					});
					return { value: requests.total / duration };
				},
			},
		};
	},
};
