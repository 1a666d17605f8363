import { writeFileSync } from 'node:fs';
import { startBench } from './bench.ts';
import { measureCosts } from './measure-costs.ts';

/** Measures on real servers, and writes `costs.json`. Needs nats-server, redis-server and TEST_MONGO_URL. */
const pids = (process.env.SCALE_DATABASE_PIDS ?? '').split(',').filter(Boolean).map(Number);
const bench = await startBench(pids);
try {
	const costs = await measureCosts(bench);
	writeFileSync(new URL('../costs.json', import.meta.url), `${JSON.stringify(costs, null, '\t')}\n`);
} finally {
	await bench.stop();
}
