import type { Costs } from '../costs.ts';
import { CAPACITIES } from '../model/capacities.ts';
import { workloadAt } from '../model/workload.ts';
import { Random } from './random.ts';
import { SHARD_KEYS, type ShardKey } from './shard-key.ts';
import { type ShardsOutcome, simulateShards } from './simulate-shards.ts';
import { Traffic } from './traffic.ts';

export interface Comparison {
	scale: number;
	key: ShardKey;
	/** As many as keep the bookings' work at half of what they bear, were it spread evenly and each statement asked one */
	shards: number;
	outcome: ShardsOutcome;
}

const HALF = 0.5;
const REQUESTS = 60_000;
const SEED = 9;

/** Each shard key at each scale, all with the same requests. */
export function compareKeys(
	costs: Costs,
	{ scales = [10, 100, 1_000] as readonly number[], requests = REQUESTS, seed = SEED } = {},
): Comparison[] {
	const cores = CAPACITIES.databaseCores;
	return scales.flatMap((scale) =>
		SHARD_KEYS.map((key) => {
			const traffic = new Traffic(costs, workloadAt(scale), new Random(seed));
			const shards = Math.max(2, Math.ceil(traffic.load / cores / HALF));
			const outcome = simulateShards(key, traffic, new Random(seed + 1), { shards, cores, requests });
			return { scale, key, shards, outcome };
		}),
	);
}
