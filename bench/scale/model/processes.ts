import { SERVICE_NAMES, type ServiceName } from '../../../shared/config/config.ts';
import type { Costs, Kind } from '../costs.ts';
import { CAPACITIES } from './capacities.ts';
import { keyLookUps, type Workload } from './workload.ts';

export interface Processes {
	counts: Record<ServiceName, number>;
	/** Of all services */
	all: number;
	/** Look-ups of keys a second, all gateways together */
	lookUps: number;
}

/** What all requests of the workload cost of one counter, each second; look-ups of keys are not in it. */
export function demand(costs: Costs, { rates }: Workload, counter: string): number {
	return Object.entries(rates).reduce(
		(sum, [kind, rate]) => sum + rate * (costs.kinds[kind as Kind].per[counter] ?? 0),
		0,
	);
}

/** How many processes of each service the load needs. More gateways look more keys up, so accounts come last. */
export function processesFor(costs: Costs, workload: Workload): Processes {
	const needed = (service: ServiceName, more = 0) =>
		Math.max(2, Math.ceil((demand(costs, workload, `cpu.${service}`) + more) / CAPACITIES.process)); // two of each: one may die
	const lookUps = keyLookUps(workload, needed('gateway'), CAPACITIES.keyTtl, CAPACITIES.knownKeys);
	const counts = Object.fromEntries(
		SERVICE_NAMES.map((service) => [service, needed(service, lookUps * lookUpCost(costs, `cpu.${service}`))]),
	) as Record<ServiceName, number>;
	return { counts, all: Object.values(counts).reduce((sum, count) => sum + count, 0), lookUps };
}

/** A request whose key is unknown to its gateway against one whose key is known. */
export function lookUpCost(costs: Costs, counter: string): number {
	const [unknown, known] = [
		costs.kinds['get, unknown key'].per[counter],
		costs.kinds['get, nothing there'].per[counter],
	];
	return Math.max(0, (unknown ?? 0) - (known ?? 0));
}
