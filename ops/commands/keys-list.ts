import { call } from '../../shared/bus/call.ts';
import { accepted } from '../line/accepted.ts';
import { allPages } from '../line/all-pages.ts';
import { accountId } from '../line/arguments.ts';
import { command } from '../line/command.ts';
import { keyTable } from '../tables/key-table.ts';

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
