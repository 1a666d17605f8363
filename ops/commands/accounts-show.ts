import { call } from '../../shared/bus/call.ts';
import { accepted } from '../line/accepted.ts';
import { accountId } from '../line/arguments.ts';
import { command } from '../line/command.ts';
import { accountText } from '../tables/account-text.ts';
import { packageTable } from '../tables/package-table.ts';

export const accountsShow = command({
	name: 'accounts show',
	summary: 'one account and its package',
	parameters: { account: { meaning: 'Id of the account', parse: accountId } },
	options: {},
	needs: ['accounts'],
	async run(broker, values) {
		const shown = accepted(await call(broker, 'accounts.showAccount', { account_id: values.account }));
		return { data: shown, text: `${accountText(shown.account)}\n\n${packageTable([shown.package])}` };
	},
});
