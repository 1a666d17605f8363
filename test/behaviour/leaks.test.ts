import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { everythingStored } from '../support/everything-stored.ts';
import { startProduct } from '../support/product.ts';
import { expectNothingOf, expectStoreWithoutSecrets } from './leaks-search.ts';
import { runSession } from './leaks-session.ts';

// The cluster's stores have a test of their own, in test/cluster.
const embeddedOnly = process.env.FORM === 'cluster' ? describe.skip : describe;

embeddedOnly('A dump of everything, embedded', () => {
	test.each(['info', 'debug'])(
		'A2, A9, W6: When a session is over, then no key is anywhere, no webhook secret in clear, and the log at %s has no personal data',
		async (level) => {
			const product = await startProduct({ form: 'embedded', keys: { Unlimited: 1 }, env: { LOG_LEVEL: level } });
			try {
				const secrets = await runSession(product);
				expectStoreWithoutSecrets(await everythingStored(product), secrets);
				const [one] = product.processes;
				await one!.stop();
				expectStoreWithoutSecrets(await everythingStored(product), secrets);
				const log = readFileSync(one!.logFile);
				expect(log.includes(secrets.requestId)).toBe(true);
				expectNothingOf(log, secrets);
			} finally {
				await product.stop();
			}
		},
	);
});
