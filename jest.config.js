import { availableParallelism } from 'node:os';
import { whyNoCluster } from './test/support/servers.ts';

/**
 * Five kinds of tests. `SUITES` names those of a run, separated by commas; without it: unit and behaviour.
 * - unit: parts by themselves, and their conformance suites
 * - behaviour: the product over HTTP, one for the whole run, in the form that `FORM` names (embedded or cluster)
 * - cluster: what several processes of a service do to each other; the same product, with `FORM=cluster`
 * - faults: what happens when processes and servers die, hang or slow down; each starts its own product
 * - simulator: the product in a simulated world, on virtual time
 */
const common = {
	rootDir: import.meta.dirname,
	testEnvironment: 'node',
	extensionsToTreatAsEsm: ['.ts'],
	transform: { '\\.ts$': '<rootDir>/test/support/strip-types.mjs' },
};

const sharedProduct = {
	globalSetup: '<rootDir>/test/support/global-setup.ts',
	globalTeardown: '<rootDir>/test/support/global-teardown.ts',
};

/**
 * Behaviour that says nothing about the form: pages and clients that only call the API, what the gateway refuses by
 * itself, as it does what is hostile, and sums of dates. The cluster's run leaves it out, for the embedded one has it;
 * with `EVERY_FORM=1` it has all.
 */
const OF_NO_FORM = [
	'console/',
	'clients/',
	'reference-page',
	'reference-files',
	'reference-keyboard',
	'content-type-and-size',
	'hostile.test',
	'methods',
	'order-of-checks',
	'service-validation',
	'outcomes',
	'bookable',
];
const isCluster = process.env.FORM === 'cluster';
const left = isCluster && process.env.EVERY_FORM !== '1' ? OF_NO_FORM : [];

const suites = {
	unit: {
		testMatch: ['<rootDir>/test/**/*.test.ts'],
		testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/(behaviour|cluster|faults|simulator|support)/'],
	},
	behaviour: {
		testMatch: ['<rootDir>/test/behaviour/**/*.test.ts'],
		testPathIgnorePatterns: ['/node_modules/', ...left.map((name) => `<rootDir>/test/behaviour/${name}`)],
		...sharedProduct,
	},
	cluster: { testMatch: ['<rootDir>/test/cluster/**/*.test.ts'], ...sharedProduct },
	faults: { testMatch: ['<rootDir>/test/faults/**/*.test.ts'] },
	simulator: { testMatch: ['<rootDir>/test/simulator/**/*.test.ts'] },
	/** One skipped test, so that a run without the servers says so and counts it. */
	'no-cluster': { testMatch: ['<rootDir>/test/support/no-cluster.test.ts'] },
};

/** ms that a test may take beside other load; alone most take less than a second. No must's bound rests on it. */
const patience = {
	unit: 240_000,
	behaviour: 240_000,
	cluster: 240_000,
	faults: 600_000,
	simulator: 900_000,
	'no-cluster': 1_000,
};

const wanted = (process.env.SUITES ?? 'unit,behaviour').split(',');
const chosen = isCluster && whyNoCluster() !== undefined ? ['no-cluster'] : wanted;

/** Of the embedded form's tests many wait half of their time; those of clusters keep all processors busy. */
export default {
	projects: chosen.map((name) => ({ displayName: name, ...common, ...suites[name] })),
	maxWorkers: chosen.includes('unit') ? Math.min(6, Math.ceil(1.5 * availableParallelism())) : 2,
	testTimeout: Math.max(...chosen.map((name) => patience[name])), // Jest takes it from here, not from a project
};
