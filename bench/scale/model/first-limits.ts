import type { Costs } from '../costs.ts';
import { COMPONENTS, type Component, utilisations } from './components.ts';
import { workloadAt } from './workload.ts';

export const SCALES = [1, 10, 100, 1_000] as const;

/** Times the base load at which a component is at its limit. */
export type Reached = { component: Component; at: number };

/** In the order in which they are reached. @param faster see {@link utilisations} */
export function limits(costs: Costs, faster = 1): Reached[] {
	const reached = COMPONENTS.map((component) => ({
		component,
		at: saturation((scale) => utilisations(costs, workloadAt(scale), faster)[component]),
	}));
	return reached.sort((a, b) => a.at - b.at);
}

/** Lifted together with another one: shards have disks of their own. */
const LIFTED_WITH: Partial<Record<Component, Component>> = { 'database disk': 'database primary' };

/**
 * Those that come up on the way from the scale before to this one, in their order, where those that came up earlier have been
 * lifted.
 */
export function limitsOn(all: readonly Reached[], scale: number): Reached[] {
	const before = scale === 1 ? 0 : scale / 10;
	const lifted = new Set(all.filter(({ at }) => at <= before).map(({ component }) => component));
	return all.filter(({ component, at }) => {
		const other = LIFTED_WITH[component];
		return at > before && at <= scale && !(other !== undefined && lifted.has(other));
	});
}

/** Where a function that grows with the scale passes 1, between 1/1,000 and 1,000,000; bisection on the logarithm. */
export function saturation(utilisation: (scale: number) => number): number {
	let [low, high] = [Math.log(1e-3), Math.log(1e6)];
	if (utilisation(Math.exp(high)) < 1) return Number.POSITIVE_INFINITY;
	while (high - low > 1e-4) {
		const middle = (low + high) / 2;
		if (utilisation(Math.exp(middle)) < 1) low = middle;
		else high = middle;
	}
	return Math.exp(high);
}
