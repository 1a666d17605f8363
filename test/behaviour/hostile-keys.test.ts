import { expect, test } from '@jest/globals';
import { createApiKey } from '../../shared/secrets/api-key.ts';
import type { Answer, Client } from '../support/http-client.ts';
import { sharedOperator } from '../support/operator.ts';
import { until } from '../support/until.ts';

const operator = sharedOperator();

/** All that a client can tell two answers apart by. */
function visible({ status, text, headers }: Answer): unknown {
	const { date: _date, 'x-request-id': _id, ...rest } = headers;
	return { status, text, headers: rest };
}

const ask = (client: Client, key: string) => client.withKey(key).get('/v1/services');

/** Resolves with the refusal, when it comes. */
const refused = (client: Client, key: string) =>
	until(
		async () => {
			const answer = await ask(client, key);
			return answer.status === 401 && answer;
		},
		{ interval: 200, what: 'the key to be refused' },
	);

test('A1: When a key is malformed, unknown, expired or revoked, then the answer is one and the same', async () => {
	const { id } = await operator.createAccount();
	const [revoked, old] = [await operator.createKey(id), await operator.createKey(id)];
	const { client } = revoked;
	for (const { apiKey } of [revoked, old]) expect((await ask(client, apiKey)).status).toBe(200);
	await operator.ask('keys', 'revoke', revoked.key.id);
	await operator.ask('keys', 'roll', old.key.id, '--overlap', '0m'); // expires at once

	const unknown = createApiKey();
	const wrong = `${unknown.slice(0, -1)}${unknown.endsWith('0') ? '1' : '0'}`;
	const answers = [await ask(client, unknown), await ask(client, wrong), await ask(client, `${unknown}0`)];
	answers.push(await refused(client, revoked.apiKey), await refused(client, old.apiKey));
	for (const answer of answers) expect(visible(answer)).toEqual(visible(answers[0]!));
	expect([answers[0]!.status, answers[0]!.text]).toEqual([401, '{"error":"invalid API key","code":"invalid_api_key"}']);
});
