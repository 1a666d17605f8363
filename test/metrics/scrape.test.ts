import { expect, test } from '@jest/globals';
import { Scrape } from './scrape.ts';

const TEXT = `# TYPE slotwise_wait_seconds histogram
slotwise_wait_seconds_bucket{place="x",le="+Inf"} 1
slotwise_wait_seconds_sum{place="x"} 1
slotwise_wait_seconds_count{place="x"} 1
# TYPE slotwise_taken_total counter
slotwise_taken_total{place="x"} 2
`;

/** The judge of dashboard and alerts, judged. */
test.each([
	['rate(slotwise_wait_seconds_bucket{place=~"x|y"}[5m])', []],
	['sum by (place) (slotwise_taken_total)', []],
	['slotwise_taken', ['slotwise_taken']],
	['rate(slotwise_wait_seconds[5m])', ['slotwise_wait_seconds']],
	['slotwise_taken_total_count', ['slotwise_taken_total_count']],
	['slotwise_taken_total{plaice="x"}', ['slotwise_taken_total{plaice}']],
	['sum by (plaice) (slotwise_taken_total)', ['by plaice']],
	['vector(1)', ['asks for no metric']],
])('When the query is %s, then these are its faults: %j', (query, faults) => {
	const scrape = new Scrape();
	scrape.add(TEXT);
	expect(scrape.faultsOf(query, [])).toEqual(faults);
});
