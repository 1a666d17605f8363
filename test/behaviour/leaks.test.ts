import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { embeddedDataDir, startProduct } from '../support/product.ts';
import { expectNothingOf, expectStoreWithoutSecrets } from './leaks-search.ts';
import { runSession } from './leaks-session.ts';

/** The store's files, its log included: what lies there in the middle of a run, and after the process has ended. */
function dump(directory: string): Buffer {
	const files = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isFile());
	expect(files.map(({ name }) => name)).toEqual(expect.arrayContaining(['slotwise.db', 'secret.key']));
	return Buffer.concat(files.map(({ name }) => readFileSync(join(directory, name))));
}

// The cluster's stores have a test of their own, in test/cluster.
const embeddedOnly = process.env.FORM === 'cluster' ? describe.skip : describe;

embeddedOnly('A dump of everything, embedded', () => {
	test.each(['info', 'debug'])(
		'A2, A9, W6: When a session is over, then no key is anywhere, no webhook secret in clear, and the log at %s has no personal data',
		async (level) => {
			const product = await startProduct({ form: 'embedded', keys: { Unlimited: 1 }, env: { LOG_LEVEL: level } });
			try {
				const secrets = await runSession(product);
				const directory = embeddedDataDir(product);
				expectStoreWithoutSecrets(dump(directory), secrets);
				const [one] = product.processes;
				await one!.stop();
				expectStoreWithoutSecrets(dump(directory), secrets);
				const log = readFileSync(one!.logFile);
				expect(log.includes(secrets.requestId)).toBe(true);
				expectNothingOf(log, secrets);
			} finally {
				await product.stop();
			}
		},
	);
});
