import { expect, test } from '@jest/globals';
import { openapi } from '../../services/gateway/openapi/openapi.ts';
import { operations } from '../../services/gateway/operations/index.ts';
import { EventType } from '../../shared/contract/schemas/event.ts';

interface Described {
	post: {
		parameters: { name: string; in: string }[];
		requestBody: { content: Record<string, { schema: { properties: object }; example: Record<string, unknown> }> };
	};
}

test('When the document is read, then it has what is posted to webhooks: each type of event, and the test', () => {
	const { webhooks } = openapi(operations) as { webhooks: Record<string, Described> };
	const types = [...EventType.anyOf.map((each) => each.const), 'webhook.test'];
	expect(Object.keys(webhooks)).toEqual(types);
	for (const [type, { post }] of Object.entries(webhooks)) {
		expect(post.parameters.map(({ name }) => name)).toEqual(['webhook-id', 'webhook-timestamp', 'webhook-signature']);
		const { schema, example } = post.requestBody.content['application/json']!;
		expect(example.type).toBe(type);
		const fields = ['type', 'timestamp', ...(type === 'webhook.test' ? ['data'] : ['sequence', 'data', 'previous'])];
		expect([Object.keys(schema.properties), Object.keys(example)]).toEqual([fields, fields]);
	}
});
