/**
 * Four kinds of tests. `SUITES` names those of a run, separated by commas; without it: unit and behaviour.
 * - unit: parts by themselves, and their conformance suites
 * - behaviour: the product over HTTP, one for the whole run, in the form that `FORM` names (embedded or cluster)
 * - cluster: what needs several processes of a service
 * - faults: what happens when processes and servers die, hang or slow down
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

const suites = {
	unit: {
		testMatch: ['<rootDir>/test/**/*.test.ts'],
		testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/(behaviour|cluster|faults)/'],
	},
	behaviour: { testMatch: ['<rootDir>/test/behaviour/**/*.test.ts'], ...sharedProduct },
	cluster: { testMatch: ['<rootDir>/test/cluster/**/*.test.ts'] },
	faults: { testMatch: ['<rootDir>/test/faults/**/*.test.ts'] },
};

const chosen = (process.env.SUITES ?? 'unit,behaviour').split(',');

/** ms that a test may take */
const patience = { unit: 30_000, behaviour: 30_000, cluster: 120_000, faults: 300_000 };

export default {
	projects: chosen.map((name) => ({ displayName: name, ...common, ...suites[name] })),
	maxWorkers: 2,
	testTimeout: Math.max(...chosen.map((name) => patience[name])), // Jest takes it from here, not from a project
};
