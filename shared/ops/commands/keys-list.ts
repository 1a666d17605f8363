import { call } from '../../call.ts';
import { allPages } from '../all-pages.ts';
import { accountId } from '../arguments.ts';
import { command } from '../command.ts';
import { keyTable } from '../key-table.ts';
import { accepted } from '../refused.ts';

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
