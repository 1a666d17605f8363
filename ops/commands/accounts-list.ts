import { call } from '../../shared/bus/call.ts';
import { allPages } from '../line/all-pages.ts';
import { command } from '../line/command.ts';
import { table } from '../tables/table.ts';

export const accountsList = command({
	name: 'accounts list',
	summary: 'every account, with its package and whether it is suspended',
	parameters: {},
	options: {},
	needs: ['accounts'],
	async run(broker) {
		const accounts = await allPages((after?: string) =>
			call(broker, 'accounts.listAccounts', after === undefined ? {} : { after }),
		);
		const rows = accounts.map(({ id, name, email, package: plan, subscription_status, suspended_at, created_at }) => [
			id,
			name,
			email ?? '',
			plan,
			subscription_status,
			suspended_at ?? '',
			created_at,
		]);
		const headings = ['account', 'name', 'e-mail', 'package', 'subscription', 'suspended', 'created'];
		return { data: accounts, text: table(headings, rows) };
	},
});
