import { call } from '../../call.ts';
import { accountText } from '../account-text.ts';
import { accountId } from '../arguments.ts';
import { command } from '../command.ts';
import { packageTable } from '../package-table.ts';
import { accepted } from '../refused.ts';

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
