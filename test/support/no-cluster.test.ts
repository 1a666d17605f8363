import { test } from '@jest/globals';
import { whyNoCluster } from './servers.ts';

/** Stands for the suites of the cluster form where its servers are not there (see jest.config.js). */
test.skip(`the cluster form: ${whyNoCluster()}`, () => {});
