import type { Echo, EchoName } from './baselines/start-echo.ts';
import type { Bench } from './bench.ts';
import type { Sample, Side } from './comparison.ts';
import type { Figures } from './load/figures.ts';
import type { BookingsRecipe, Recipe } from './load/recipes.ts';
import { cpuOf } from './processes.ts';
import type { Site } from './site.ts';
import { untilCalm } from './until-calm.ts';
import { untilDelivered } from './until-delivered.ts';

interface LoadSide {
	name: string;
	url: string;
	key?: string;
	pids: readonly number[];
	recipe: () => Recipe;
	/** Statuses that an answer may have; another one ends the run */
	expect: readonly number[];
	clients?: number;
	/** Waits for what the answers left to do; ms that it took */
	settle?: () => Promise<number>;
	after?: (recipe: Recipe, figures: Figures) => void;
}

/** Throughput of a server under a closed load. What it does because of it is waited for, and is part of its CPU. */
export function loadSide(
	bench: Bench,
	{ name, url, key, pids, recipe, expect, clients, settle, after }: LoadSide,
): Side {
	return {
		name,
		async measure(seconds) {
			await untilCalm(pids);
			const before = cpuOf(pids);
			const what = recipe();
			const load = { url, key, recipe: what, clients: clients ?? bench.options.clients, seconds };
			const figures = await bench.generator.closed(load);
			after?.(what, figures);
			assertStatuses(name, figures, expect);
			const settled = await settle?.();
			await untilCalm(pids);
			return toSample(figures, cpuOf(pids) - before, settled);
		},
	};
}

/** GETs of the product. */
export function readSide(bench: Bench, site: Site, name: string, recipe: Recipe): Side {
	return loadSide(bench, {
		name,
		url: site.url,
		key: site.key,
		pids: site.pids(),
		recipe: () => recipe,
		expect: [200],
	});
}

/** Creates of bookings; each time on dates that were not used before. */
export function createSide(
	bench: Bench,
	site: Site,
	{ name, recipe, expect = [201], clients }: { name: string; recipe: () => BookingsRecipe } & Partial<LoadSide>,
): Side {
	return loadSide(bench, {
		name,
		url: site.url,
		key: site.key,
		pids: site.pids(),
		recipe,
		expect,
		clients,
		settle: () => untilDelivered(site.product),
		after: (what, { answered }) => site.used(what as BookingsRecipe, answered + (clients ?? bench.options.clients)),
	});
}

/** moleculer-web with nothing behind it, and the same answer. */
export function echoSide(bench: Bench, { url, pids, sizes }: Echo, answer: EchoName, recipe?: Recipe): Side {
	return loadSide(bench, {
		name: `bare echo of ${sizes[answer]} bytes`,
		url,
		pids,
		recipe: () => recipe ?? { kind: 'same', method: 'GET', path: `/echo/${answer}` },
		expect: [200],
	});
}

function toSample({ rate, p50, p99, answered, late, generatorCpu }: Figures, cpu: number, settled?: number): Sample {
	return {
		value: rate,
		cpu: (cpu * 1_000) / (answered + late),
		generatorCpu,
		notes: {
			p50: `${p50.toFixed(2)} ms`,
			p99: `${p99.toFixed(2)} ms`,
			...(settled === undefined ? {} : { 'last event delivered after': `${settled.toFixed(0)} ms` }),
		},
	};
}

function assertStatuses(name: string, { statuses }: Figures, expect: readonly number[]): void {
	const others = Object.entries(statuses).filter(([status]) => !expect.includes(Number(status)));
	if (others.length > 0) throw new Error(`${name}: ${others.map(([one, count]) => `${count} × ${one}`).join(', ')}`);
}
