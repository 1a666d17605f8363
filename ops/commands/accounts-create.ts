import { call } from '../../shared/bus/call.ts';
import { accepted } from '../line/accepted.ts';
import { email, label, packageName } from '../line/arguments.ts';
import { command } from '../line/command.ts';
import { accountText } from '../tables/account-text.ts';

export const accountsCreate = command({
	name: 'accounts create',
	summary: 'a new account, without a key',
	parameters: {},
	options: {
		name: { placeholder: 'name', meaning: 'Of the provider', parse: label, required: true },
		email: { placeholder: 'address', meaning: 'Of the provider', parse: email, required: true },
		package: { placeholder: 'name', meaning: 'Plan, such as Starter', parse: packageName, required: true },
	},
	needs: ['accounts'],
	async run(broker, { name, email: address, package: plan }) {
		const account = accepted(await call(broker, 'accounts.createAccount', { name, email: address, package: plan }));
		const next = `Its first key: keys create ${account.id} --name <name>`;
		return { data: account, text: `${accountText(account)}\n${next}` };
	},
});
