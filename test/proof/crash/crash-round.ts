import { Random } from '../random.ts';
import { nothing, type Round } from '../round.ts';
import { type CrashScenario, scenarios } from './crash-scenarios.ts';
import { Mortal } from './mortal.ts';

/** Deaths of one round in each request; over the rounds they come to all moments */
const DEATHS = { create: 6, other: 2 };
/** What is said of a violation at most */
const TEXT = 2_000;

/** I1: the process dies at random awaits of requests, each of which is then sent again. */
export async function crashRound(seed: number, form: 'embedded' | 'cluster'): Promise<Round> {
	const random = new Random(seed);
	const mortal = await Mortal.start(form);
	const violations: Round['violations'] = [];
	const faults: Record<string, number> = {};
	let operations = 0;
	const die = async (scenario: CrashScenario, moment: number, moments: number) => {
		operations += 2;
		const name = `${form}: SIGKILL at an await of ${scenario.name}`;
		faults[name] = (faults[name] ?? 0) + 1;
		await mortal.dieAt(scenario, moment).catch((error: Error) => {
			const text = `moment ${moment} of ${moments}: ${error.message}`.slice(0, TEXT);
			violations.push({ account: name, rule: 'crash', text });
		});
	};
	try {
		const { create, confirm, remove, createService } = scenarios;
		for (const scenario of form === 'embedded' ? [create, confirm, remove, createService] : [create, confirm, remove]) {
			const moments = await mortal.moments(scenario);
			const deaths = scenario === create ? DEATHS.create : DEATHS.other;
			for (let death = 0; death < deaths; death++) await die(scenario, random.between(1, moments + 20), moments);
		}
	} finally {
		await mortal.stop();
	}
	const summary = { ...nothing, operations, faults };
	return { seed, form: 'crash', slowestReady: 0, history: undefined, summary, violations };
}
