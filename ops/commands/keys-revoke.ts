import { call } from '../../shared/bus/call.ts';
import type { KeyReport } from '../../shared/contract/account-reports.ts';
import { accepted } from '../line/accepted.ts';
import { keyIdOrKey } from '../line/arguments.ts';
import { command } from '../line/command.ts';
import { keyTable } from '../tables/key-table.ts';

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
