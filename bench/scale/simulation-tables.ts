import type { Costs } from './costs.ts';
import { type Comparison, compareKeys } from './simulation/compare-keys.ts';
import { lostRaces, RACES, type Race } from './simulation/races.ts';
import { SHARD_KEYS } from './simulation/shard-key.ts';
import { count, digits, percent, table, times } from './tables.ts';

/** By name, as the marked blocks of docs/scale.md have them. Takes about half a minute. */
export function simulationTables(costs: Costs): Record<string, string> {
	return { shards: shardsTable(compareKeys(costs)), races: racesTable() };
}

export function shardsTable(comparisons: readonly Comparison[]): string {
	return table(
		[
			'At',
			'Shards',
			'Shard key of bookings',
			'shards asked by a statement',
			'mean',
			'hottest shard',
			'p99 against 10× by account',
		],
		comparisons.map(({ scale, shards, key, outcome }) => [
			times(scale),
			count(shards),
			`\`${key.name}\``,
			digits(outcome.asked),
			percent(outcome.mean),
			outcome.hottest >= 1 ? `**${percent(outcome.hottest)}**` : percent(outcome.hottest),
			outcome.hottest >= 1 ? 'grows without end' : (outcome.p99 / comparisons[0]!.outcome.p99).toFixed(2),
		]),
	);
}

export function racesTable(): string {
	const races = Object.keys(RACES) as Race[];
	return table(
		['Shard key of bookings', ...races],
		SHARD_KEYS.map((key) => [`\`${key.name}\``, ...races.map((race) => count(lostRaces(key, race)))]),
	);
}
