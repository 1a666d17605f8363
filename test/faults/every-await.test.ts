import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { whyNoProof } from '../proof/cluster.ts';
import { scenarios } from '../proof/crash/crash-scenarios.ts';
import { Mortal, spread } from '../proof/crash/mortal.ts';

/** Moments of each request at which a process dies, spread over all of them; nightly `all` */
const POINTS = process.env.CRASH_POINTS === 'all' ? 'all' : Number(process.env.CRASH_POINTS ?? 6);
/** The same of requests other than creations of bookings */
const FEWER = POINTS === 'all' ? POINTS : Math.ceil(POINTS / 3);

const missing = whyNoProof();
const forms = [
	{ form: 'embedded', dies: 'the process', suite: describe },
	{ form: 'cluster', dies: 'one of two booking processes', suite: missing === undefined ? describe : describe.skip },
] as const;

for (const { form, dies, suite } of forms) {
	const skipped = suite === describe ? '' : ` (skipped: ${missing})`;
	suite(`I1: ${dies} dies at any await, ${form}${skipped}`, () => {
		let mortal: Mortal;
		beforeAll(async () => {
			mortal = await Mortal.start(form);
		});
		afterAll(() => mortal?.stop());

		const { create, confirm, remove, createService } = scenarios;
		test.each(form === 'embedded' ? [create, confirm, remove, createService] : [create, confirm, remove])(
			`I1: When ${dies} dies at any await of $name and the request is sent again, then it happened once`,
			async (scenario) => {
				const moments = await mortal.moments(scenario);
				const points = spread(moments, scenario === create ? POINTS : FEWER);
				process.stdout.write(`${form}, ${scenario.name}: ${moments} moments, ${points.length} deaths\n`);
				expect(moments).toBeGreaterThan(50);
				for (const moment of points) await mortal.dieAt(scenario, moment);
			},
			POINTS === 'all' ? 6 * 3_600_000 : 600_000,
		);
	});
}
