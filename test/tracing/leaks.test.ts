import { expect, test } from '@jest/globals';
import { operations } from '../../services/gateway/operations/index.ts';
import { expectNothingOf } from '../behaviour/leaks-search.ts';
import { runSession } from '../behaviour/leaks-session.ts';
import { Client } from '../support/http-client.ts';
import { ownRequest } from '../support/id-inputs.ts';
import { settleWorld } from '../support/world.ts';
import { startTraced, type TracedProduct } from './traced-product.ts';

/** Fields of a body whose values are neither of somebody's life nor say where a customer's server is */
const HARMLESS = /^(date|status|timezone|start_time|end_time|events)$/;

/** The texts of a body that no span may have. */
function privateTexts(body: unknown): string[] {
	if (typeof body !== 'object' || body === null) return [];
	return Object.entries(body).flatMap(([name, value]) => {
		if (HARMLESS.test(name)) return [];
		return typeof value === 'string' ? [value] : privateTexts(value);
	});
}

/** Performs every operation as the reference shows it. @returns what was private in it */
async function performAll({ product }: TracedProduct): Promise<string[]> {
	const texts: string[] = [];
	for (const [index, operation] of operations.entries()) {
		const key = product.keys.Unlimited[1 + (index % 3)]!; // an account has 25 webhooks at most
		const client = new Client(() => product.urls(), key);
		const { method, path, query, body } = ownRequest(operation, await settleWorld(client));
		await client.request(method, path, { query, body });
		texts.push(...privateTexts(body));
	}
	return texts;
}

test('A2, A9: When traces are on, then no span holds a key, a secret or personal data', async () => {
	const traced = await startTraced({ form: 'embedded' });
	const { collector, product } = traced;
	try {
		const texts = await performAll(traced);
		expect(texts.length).toBeGreaterThan(10);
		const secrets = await runSession(product);
		await product.processes[0]!.stop();
		const names = new Set(collector.spans.map(({ name }) => name));
		for (const { method, path } of operations) expect(names).toContain(`${method} ${path}`);
		expect(names).toContain('POST webhook');
		const bytes = Buffer.from(collector.bodies.join('\n'));
		const more = [...product.keys.Unlimited, ...secrets.keys];
		expectNothingOf(bytes, { ...secrets, keys: more, personal: [...secrets.personal, ...texts] });
	} finally {
		await traced.stop();
	}
});
