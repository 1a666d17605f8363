import { call } from '../../shared/bus/call.ts';
import { list, oneOf } from '../../shared/config/parsers.ts';
import type { Scope } from '../../shared/contract/actions.ts';
import { createApiKey, hashApiKey } from '../../shared/secrets/api-key.ts';
import { accepted } from '../line/accepted.ts';
import { accountId, label, lifetime } from '../line/arguments.ts';
import { command, UsageError } from '../line/command.ts';
import { newKeyText } from '../tables/key-table.ts';

const SCOPES: Scope[] = ['read', 'write'];
const scopeList = list(oneOf(...SCOPES));

export const keysCreate = command({
	name: 'keys create',
	summary: 'a new key of an account, printed once',
	parameters: { account: { meaning: 'Id of the account', parse: accountId } },
	options: {
		name: { placeholder: 'name', meaning: 'What it is for', parse: label, required: true },
		scopes: {
			placeholder: 'scopes',
			meaning: 'read, write, or both, separated by commas; both without it',
			parse: scopeList,
		},
		expires: { placeholder: 'duration', meaning: 'Such as 90d; never without it', parse: lifetime },
	},
	needs: ['accounts'],
	async run(broker, { account: account_id, name, scopes: asked = SCOPES, expires }) {
		const scopes = SCOPES.filter((scope) => asked.includes(scope));
		if (scopes.length === 0) throw new UsageError('--scopes must be read, write, or both.');
		const api_key = createApiKey();
		const wanted = { hash: hashApiKey(api_key), name, scopes, expires_in: expires ?? null };
		const key = accepted(await call(broker, 'accounts.createKey', { account_id, ...wanted }));
		return { data: { ...key, api_key }, text: newKeyText(api_key, [key]) };
	},
});
