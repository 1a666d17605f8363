import type { Costs, Hold } from '../costs.ts';
import { CAPACITIES, TARGET } from './capacities.ts';
import { demand, lookUpCost, processesFor } from './processes.ts';
import { BASE, requestsOf, type Workload } from './workload.ts';

export const COMPONENTS = [
	...(['NATS server', 'Redis', 'database primary', 'database disk', 'counter of booking ids'] as const),
	...(['month’s row of the hottest account', 'event log of the hottest account'] as const),
	...(['webhook of the hottest account', 'hottest slot and date', 'sweeps, on each shard'] as const),
];
export type Component = (typeof COMPONENTS)[number];

/**
 * Load of each component that more processes do not lift, / its capacity. 1: at its limit.
 * @param faster what if NATS, Redis and the database did an operation with so many times less of a processor
 */
export function utilisations(costs: Costs, workload: Workload, faster = 1): Record<Component, number> {
	const processes = processesFor(costs, workload);
	const { rates, events, hottest } = workload;
	const creates = rates.create ?? 0;
	const increments = Math.max(...Object.values(costs.ceilings.increments));
	const database =
		demand(costs, workload, 'cpu.database') +
		processes.lookUps * lookUpCost(costs, 'cpu.database') +
		sweepLoad(costs, processes.all);
	return {
		'NATS server': natsLoad(costs, workload, processes.all) / faster / busy(CAPACITIES.natsCores),
		Redis: redisLoad(costs, workload) / faster / busy(CAPACITIES.redisCores),
		'database primary': database / faster / busy(CAPACITIES.databaseCores),
		'database disk': bytesKept(costs, workload) / CAPACITIES.disk,
		// Each process has one increment under way, so numbers never run out: what grows is the wait for them.
		'counter of booking ids': processes.counts.booking / increments / CAPACITIES.counterWait,
		'month’s row of the hottest account':
			Math.min(processes.counts.accounts, creates * hottest.account) / increments / CAPACITIES.counterWait,
		'event log of the hottest account':
			(events * hottest.account) / batchRate(costs.holds.events, CAPACITIES.eventBatch),
		'webhook of the hottest account': (events * hottest.account * BASE.endpoint) / CAPACITIES.webhookWindow,
		// They ask about all accounts, so a router sends each of them to every shard.
		'sweeps, on each shard': sweepLoad(costs, processes.all) / faster / busy(CAPACITIES.databaseCores),
		'hottest slot and date': (creates * hottest.slot) / batchRate(costs.holds.place, CAPACITIES.placeBatch),
	};
}

/** ms of processor a second: what requests and look-ups send, and heartbeats, of which each goes to every process. */
export function natsLoad(costs: Costs, workload: Workload, processes: number): number {
	return demand(costs, workload, 'cpu.nats') + heartbeatLoad(costs, processes);
}

export function heartbeatLoad({ kinds }: Costs, processes: number): number {
	const { per } = kinds.get;
	const each = per['cpu.nats']! / (per['nats.in_msgs']! + per['nats.out_msgs']!);
	return CAPACITIES.heartbeats * processes * (processes + 1) * each;
}

/** ms of the database's processor a second for what processes ask without a request: sweeps, and the driver's own. */
function sweepLoad({ idle }: Costs, processes: number): number {
	return (processes * (idle.per['cpu.database'] ?? 0)) / idle.processes;
}

/** The limiter's script is on top of what a kind costs, for the accounts that were measured have no rate. */
function redisLoad(costs: Costs, workload: Workload): number {
	const limiter = costs.kinds['get with a rate'].per['cpu.redis']!;
	return demand(costs, workload, 'cpu.redis') + requestsOf(workload) * workload.limited * limiter;
}

/** Bookings and customers for as long as they are kept, events and deliveries of 30 days. Indexes are not in it. */
function bytesKept({ bytes }: Costs, { rates, events }: Workload): number {
	const month = 30 * 86_400 * BASE.averageToPeak;
	const kept = (rates.create ?? 0) * (bytes.booking + bytes.customer) * CAPACITIES.months;
	return month * (kept + events * bytes.event + (rates.delivery ?? 0) * bytes.delivery);
}

/**
 * What one line of batches serves a second at most: full batches, one after the other. How long a batch holds its lock
 * grows with its size on a straight line through what was measured (least squares).
 */
export function batchRate(holds: readonly Hold[], size: number): number {
	const mean = (of: (hold: Hold) => number) => holds.reduce((sum, hold) => sum + of(hold), 0) / holds.length;
	const [x, y] = [mean((hold) => hold.size), mean((hold) => hold.ms)];
	const slope =
		holds.reduce((sum, hold) => sum + (hold.size - x) * (hold.ms - y), 0) /
		holds.reduce((sum, hold) => sum + (hold.size - x) ** 2, 0);
	return (1_000 * size) / Math.max(1, y + Math.max(0, slope) * (size - x));
}

/** ms of processor a second at which cores count as full. */
function busy(cores: number): number {
	return 1_000 * cores * TARGET;
}
