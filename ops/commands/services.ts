import { call } from '../../shared/bus/call.ts';
import { accountId } from '../line/arguments.ts';
import { allPages, assertKnownAccount, command } from '../line/command.ts';
import { rulesText, table } from '../tables.ts';

export const servicesList = command({
	name: 'services list',
	summary: 'an account’s services: time zone, number of time slots, rules',
	parameters: { account: { meaning: 'Id of the account', parse: accountId } },
	options: {},
	needs: ['accounts', 'catalog'],
	async run(broker, { account: account_id }) {
		await assertKnownAccount(broker, account_id);
		const services = await allPages((after?: number) => call(broker, 'catalog.serviceReports', { account_id, after }));
		const rows = services.map(({ id, name, timezone, slots, rules }) => [
			id,
			name,
			timezone,
			slots,
			rulesText(rules) || 'none',
		]);
		const headings = ['service', 'name', 'time zone', 'slots', 'rules'];
		return { data: services, text: services.length === 0 ? 'no services' : table(headings, rows) };
	},
});
