import { call } from '../../shared/bus/call.ts';
import { list, oneOf } from '../../shared/config/parsers.ts';
import type { KeyReport } from '../../shared/contract/account-reports.ts';
import type { Scope } from '../../shared/contract/actions.ts';
import { createApiKey, hashApiKey } from '../../shared/secrets/api-key.ts';
import { accountId, duration, keyId, keyIdOrKey, label, lifetime } from '../line/arguments.ts';
import { accepted, allPages, command, UsageError } from '../line/command.ts';
import { keyTable, newKeyText } from '../tables.ts';

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

export const keysGenerate = command({
	name: 'keys generate',
	summary: 'a key for BOOTSTRAP_KEYS; nothing is stored, and no process is needed',
	parameters: {},
	options: {},
	needs: [],
	async run() {
		const api_key = createApiKey();
		return { data: { api_key }, text: api_key };
	},
});

export const keysList = command({
	name: 'keys list',
	summary: 'an account’s keys by their ids, those that work no more too',
	parameters: { account: { meaning: 'Id of the account', parse: accountId } },
	options: {},
	needs: ['accounts'],
	async run(broker, { account: account_id }) {
		const keys = await allPages(async (after?: string) =>
			accepted(await call(broker, 'accounts.listKeys', { account_id, ...(after !== undefined && { after }) })),
		);
		return { data: keys, text: keyTable(keys) };
	},
});

export const keysRevoke = command({
	name: 'keys revoke',
	summary: 'ends a key for good, everywhere within 5 s',
	parameters: { key: { meaning: 'Id of the key, or the key itself where it has leaked', parse: keyIdOrKey } },
	options: {},
	needs: ['accounts'],
	async run(broker, { key: which }) {
		const key = accepted(await call(broker, 'accounts.revokeKey', which));
		return { data: key, text: textOf(key) };
	},
});

function textOf(key: KeyReport): string {
	return `${keyTable([key])}\n\nKey of account ${key.account_id}, revoked ${key.revoked_at}: it works nowhere within 5 s.`;
}

const DAY = 86_400_000; // ms

export const keysRoll = command({
	name: 'keys roll',
	summary: 'a new key in place of another, printed once; the old one works until the overlap is over',
	parameters: { key: { meaning: 'Id of the key that goes', parse: keyId } },
	options: {
		overlap: { placeholder: 'duration', meaning: 'Such as 2h, or 0m; 24h without it', parse: duration },
	},
	needs: ['accounts'],
	async run(broker, { key: key_id, overlap = DAY }) {
		const api_key = createApiKey();
		const rolled = accepted(await call(broker, 'accounts.rollKey', { key_id, hash: hashApiKey(api_key), overlap }));
		return { data: { ...rolled, api_key }, text: newKeyText(api_key, [rolled.old, rolled.new]) };
	},
});
