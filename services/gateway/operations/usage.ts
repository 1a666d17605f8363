import { Usage } from '../../../shared/contract/schemas/usage.ts';
import { usageExample } from './examples.ts';
import { type Operation, operation } from './operation.ts';

/** In the order of the reference. */
export const usageOperations: readonly Operation[] = [
	operation({
		id: 'getUsage',
		method: 'GET',
		path: '/v1/usage',
		action: 'accounts.usage',
		scope: 'read',
		tag: 'Usage',
		summary: 'Get the usage of this month',
		description:
			'What was used of the plan in this UTC month, and what is left; `scopes` is what the key itself may do. Requests count once they are let through: not ' +
			'those that a limit refused, but this one, and replays. Those that other gateways served within the last second ' +
			'may be missing.',
		answer: { status: 200, schema: Usage, description: 'The usage of this month', example: usageExample },
		errors: [],
		headers: {},
		async run({ recordRequests, scopes, call }) {
			await recordRequests();
			const usage = await call('accounts.usage', {});
			if (usage === null) throw new Error('the account of a key is missing');
			return { data: { ...usage, scopes: [...scopes] } satisfies Usage };
		},
	}),
];
