import { Agenda } from './agenda.ts';
import type { Random } from './random.ts';
import { Ranges } from './ranges.ts';
import { Router, type ShardKey } from './shard-key.ts';
import { Station } from './station.ts';
import { partsOf, type Request, type Traffic } from './traffic.ts';

export interface ShardsOutcome {
	/** Work of the busiest shard / what it bears; above 1 its queue grows without end */
	hottest: number;
	/** The same, all shards together */
	mean: number;
	/** Shards that a statement asks on average */
	asked: number;
	/** ms; without meaning where `hottest` is above 1 */
	p99: number;
}

/** Of what a statement costs on a shard that has what it asks for: what it costs on another one that has nothing of it */
const IN_VAIN = 0.5;

interface Step {
	request: Request;
	statement: number;
	began: number;
}

/**
 * Requests arrive at random moments (a Poisson process); the statements of each go one after the other to all shards that
 * the key makes necessary, and wait there for a core.
 */
export function simulateShards(
	key: ShardKey,
	traffic: Traffic,
	random: Random,
	{ shards, cores, requests }: { shards: number; cores: number; requests: number },
): ShardsOutcome {
	const ranges = new Ranges(shards, (account) => traffic.shareOf(account), key.fields.length > 1);
	const router = new Router(key, shards, ranges);
	const stations = Array.from({ length: shards }, () => new Station(cores));
	const agenda = new Agenda<Step>();
	const times: number[] = [];
	let [arrived, clock, statements, asked] = [0, 0, 0, 0];
	const arrive = () => {
		if (arrived++ === requests) return;
		clock += random.exponential(1 / traffic.rate);
		agenda.put(clock, { request: traffic.next(), statement: 0, began: clock });
	};
	arrive();
	for (let next = agenda.take(); next !== undefined; next = agenda.take()) {
		const { request, statement, began } = next.what;
		if (statement === 0) arrive();
		const { known, service } = request.statements[statement]!;
		const targets = router.targets(known, () => partsOf(request.account));
		const owner = targets[random.integer(targets.length)]!;
		let done = next.at;
		for (const shard of targets) {
			const work = shard === owner ? service : service * IN_VAIN;
			done = Math.max(done, stations[shard]!.serve(next.at, work));
		}
		statements++;
		asked += targets.length;
		if (statement + 1 < request.statements.length) agenda.put(done, { request, statement: statement + 1, began });
		else times.push(done - began);
	}
	const busy = stations.map(({ worked }) => worked / cores / clock);
	times.sort((a, b) => a - b);
	return {
		hottest: Math.max(...busy),
		mean: busy.reduce((sum, one) => sum + one, 0) / shards,
		asked: asked / statements,
		p99: 1_000 * times[Math.ceil(0.99 * times.length) - 1]!,
	};
}
