import { beforeAll, describe, expect, test } from '@jest/globals';
import { operations } from '../../services/gateway/operations/index.ts';
import { expectError } from '../support/expectations.ts';
import type { Client } from '../support/http-client.ts';
import { sharedOperator } from '../support/operator.ts';
import { createService } from '../support/scheduling.ts';
import { until } from '../support/until.ts';

const operator = sharedOperator();

describe('Scopes of a key (contract §5)', () => {
	let account: string;
	let clients: Record<'read' | 'write', Client>;
	let reader: string;

	beforeAll(async () => {
		account = (await operator.createAccount()).id;
		const [read, write] = await Promise.all([
			operator.createKey(account, '--scopes', 'read'),
			operator.createKey(account, '--scopes', 'write'),
		]);
		clients = { read: read.client, write: write.client };
		reader = read.key.id;
	});

	const matrix = operations.map(({ id, method, path, scope }) => [id, method, path, scope] as const);

	test.each(matrix)('When %s (%s %s) comes with the other scope than %s, then it is 403', async (...operation) => {
		const [, method, path, scope] = operation;
		const other = clients[scope === 'read' ? 'write' : 'read'];
		const answer = await other.request(method, path.replaceAll(/\{\w+\}/g, '1'), { body: {} });
		expectError(answer, 403, 'insufficient scope');
		const own = await clients[scope].request(method, path.replaceAll(/\{\w+\}/g, '999999999'), { body: {} });
		expect(own.status).not.toBe(403);
	});

	test('When the scope is lacking, then nothing was done', async () => {
		const { id } = await createService(clients.write);
		expectError(await clients.read.delete(`/v1/services/${id}`), 403, 'insufficient scope');
		expect((await clients.read.get(`/v1/services/${id}`)).status).toBe(200);
	});

	test('A3: When a key was refused, then the operator log tells which operation, and how many there were', async () => {
		const refused = async () =>
			(await operator.log(account)).filter(({ event, subject }) => event === 'key.refused' && subject === reader);
		const writes = operations.filter(({ scope }) => scope === 'write').map(({ id }) => id);
		for (let request = 0; request < 20; request++) await clients.read.post('/v1/services', {});
		const entries = await until(async () => {
			const found = await refused();
			return new Set(found.map(({ details }) => details.operation)).size === writes.length && found;
		});
		for (const { actor, details } of entries) {
			expect([actor, details.scope]).toEqual(['gateway', 'write']);
			expect(details.count).toBeGreaterThanOrEqual(1);
		}
		const created = entries.filter(({ details }) => details.operation === 'createService');
		const minutes = created.map(({ at }) => at.slice(0, 16));
		expect(new Set(minutes).size).toBe(minutes.length); // one a minute, over all gateways
	});
});
