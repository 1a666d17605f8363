import { call } from '../../call.ts';
import { accountText } from '../account-text.ts';
import { email, label, packageName } from '../arguments.ts';
import { command } from '../command.ts';
import { accepted } from '../refused.ts';

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
