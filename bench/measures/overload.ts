import type { Form } from '../../test/support/product.ts';
import type { Bench } from '../bench.ts';
import type { Measure, Sample, Side } from '../comparison.ts';
import type { OpenFigures } from '../load/open-loop.ts';
import type { Recipe } from '../load/recipes.ts';
import { requests } from '../requests.ts';
import { createSide, readSide } from '../side.ts';
import type { Site } from '../site.ts';
import { untilCalm } from '../until-calm.ts';
import { untilDelivered } from '../until-delivered.ts';

/** Requests that the open model has under way at most: connections of one generator */
const OUTSTANDING = 2_000;
/** Shares of the capacity, and how much longer than another load it takes: a queue needs time to grow */
const LOADS = [
	{ share: 0.5, longer: 1 },
	{ share: 1, longer: 1 },
	{ share: 2, longer: 4 },
] as const;
/** Of the requests that are due, beyond what is served in time or refused */
const TOLERATED = 0.01;

/** Latency and goodput at fixed arrival rates, as shares of the capacity that the closed load of the round has shown. */
const overload = (form: Form, what: 'booking' | 'create'): Measure => ({
	name: `overload-${what}`,
	form,
	title: `goodput at 2 × capacity / peak: ${what === 'create' ? 'create' : 'GET booking'}`,
	unit: '/s',
	goal: { atLeast: 0.8 },
	async prepare(bench) {
		const site = await bench.site(form);
		const closed =
			what === 'create'
				? createSide(bench, site, { name: 'peak, closed load', recipe: site.spread })
				: readSide(bench, site, 'peak, closed load', requests.booking(site));
		let capacity = Number.NaN;
		const baseline: Side = {
			name: closed.name,
			async measure(seconds) {
				const sample = await closed.measure(seconds);
				capacity = sample.value;
				return sample;
			},
		};
		const recipe = () => (what === 'create' ? site.spread() : requests.booking(site));
		const ours: Side = { name: 'open load', measure: (seconds) => atEachLoad(bench, site, recipe, capacity, seconds) };
		return { ours, baseline };
	},
});

async function atEachLoad(
	bench: Bench,
	site: Site,
	recipe: () => Recipe,
	capacity: number,
	seconds: number,
): Promise<Sample> {
	const notes: Record<string, string> = {};
	let last: OpenFigures | undefined;
	for (const { share, longer } of LOADS) {
		await untilCalm(site.pids());
		const what = recipe();
		const load = {
			url: site.url,
			key: site.key,
			recipe: what,
			seconds: seconds * longer,
			outstanding: OUTSTANDING,
			seed: 1,
		};
		const figures = await bench.generator.open({ ...load, rate: share * capacity });
		if (what.kind === 'bookings') {
			site.used(what, figures.intended);
			await untilDelivered(site.product);
		}
		notes[`${share} × capacity`] = describe(figures, seconds * longer);
		last = figures;
	}
	return { value: last!.goodput, notes, flaw: flawOf(last!, seconds * LOADS.at(-1)!.longer) };
}

/** What is not served in time must be refused, by 429 or 503: a client that waits in vain is worse off. */
function flawOf({ intended, goodput, statuses }: OpenFigures, seconds: number): string | undefined {
	const refused = (statuses[429] ?? 0) + (statuses[503] ?? 0);
	const neither = 1 - (goodput * seconds + refused) / intended;
	return neither > TOLERATED ? `${(neither * 100).toFixed(0)} % neither served within 1 s nor refused` : undefined;
}

function describe(figures: OpenFigures, seconds: number): string {
	const { p50, p99, p999, goodput, intended, statuses, unanswered, generatorCpu } = figures;
	const times = [p50, p99, p999].map((ms) => ms.toFixed(1)).join(' / ');
	const answers = Object.entries(statuses).map(([status, count]) => `${count} × ${status}`);
	return [
		`p50 / p99 / p99.9 ${times} ms`,
		`goodput ${goodput.toFixed(0)}/s of ${(intended / seconds).toFixed(0)}/s`,
		`${answers.join(', ')}, ${unanswered} unanswered`,
		`generator ${(generatorCpu * 100).toFixed(0)} % of a core`,
	].join('; ');
}

export const overloads: Measure[] = [
	overload('embedded', 'booking'),
	overload('embedded', 'create'),
	overload('cluster', 'booking'),
	overload('cluster', 'create'),
];
