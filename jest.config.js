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
	testTimeout: 30_000,
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
	cluster: { testMatch: ['<rootDir>/test/cluster/**/*.test.ts'], testTimeout: 120_000 },
	faults: { testMatch: ['<rootDir>/test/faults/**/*.test.ts'], testTimeout: 300_000 },
};

const chosen = (process.env.SUITES ?? 'unit,behaviour').split(',');

export default {
	projects: chosen.map((name) => ({ displayName: name, ...common, ...suites[name] })),
	maxWorkers: 2,
};
