import type { Form } from '../../test/support/product.ts';
import type { Bench } from '../bench.ts';
import type { Measure, Side } from '../comparison.ts';
import { requests } from '../requests.ts';
import { createSide, readSide } from '../side.ts';
import type { Site } from '../site.ts';

type SideOf = (bench: Bench, site: Site, name: string) => Side;

const read =
	(what: keyof typeof requests): SideOf =>
	(bench, site, name) =>
		readSide(bench, site, name, requests[what](site));
const create: SideOf = (bench, site, name) => createSide(bench, site, { name, recipe: site.spread });

/** For requests that take so long that few would end in the time of a round. */
function longer(sideOf: SideOf): SideOf {
	return (bench, site, name) => {
		const side = sideOf(bench, site, name);
		return { name, measure: (seconds) => side.measure(3 * seconds) };
	};
}

/** What many bookings in the store cost: the same requests to a second product, which has few. */
const grown = (form: Form, name: string, title: string, side: SideOf): Measure => ({
	name: `growth-${name}`,
	form,
	title: `${title}, large store / small store`,
	unit: '/s',
	goal: { atLeast: 0.8 },
	async prepare(bench) {
		const large = await bench.site(form, bench.options.large[form]);
		const small = await bench.site(form);
		const named = (site: Site) => `${site.bookings.toLocaleString('en')} bookings`;
		return { ours: side(bench, large, named(large)), baseline: side(bench, small, named(small)) };
	},
});

export const growth: Measure[] = [
	grown('embedded', 'booking', 'GET booking', read('booking')),
	grown('embedded', 'service', 'GET service, with its bookings_count', read('service')),
	grown('embedded', 'list', 'first page of 20 with its total', read('list')),
	grown('embedded', 'availability', 'availability of 92 days and 50 slots', longer(read('availability'))),
	grown('embedded', 'create', 'create on spread slots', create),
	grown('cluster', 'booking', 'GET booking', read('booking')),
	grown('cluster', 'create', 'create on spread slots', create),
];
