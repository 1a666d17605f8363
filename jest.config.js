export default {
	testEnvironment: 'node',
	testMatch: ['<rootDir>/test/**/*.test.ts'],
	extensionsToTreatAsEsm: ['.ts'],
	transform: { '\\.ts$': '<rootDir>/test/support/strip-types.mjs' },
	testTimeout: 30_000,
};
