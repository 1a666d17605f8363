import { call } from '../../shared/bus/call.ts';
import { oneOf } from '../../shared/config/parsers.ts';
import { accepted } from '../line/accepted.ts';
import { accountId, packageName } from '../line/arguments.ts';
import { command, UsageError } from '../line/command.ts';
import { accountText } from '../tables/account-text.ts';

const subscriptionStatus = oneOf('trialing', 'active', 'past_due', 'canceled');

export const accountsSet = command({
	name: 'accounts set',
	summary: 'another package or subscription; holds at every gateway within 5 s',
	parameters: { account: { meaning: 'Id of the account', parse: accountId } },
	options: {
		package: { placeholder: 'name', meaning: 'Plan, such as Growth', parse: packageName },
		subscription: {
			placeholder: 'status',
			meaning: 'trialing, active, past_due or canceled',
			parse: subscriptionStatus,
		},
	},
	needs: ['accounts'],
	async run(broker, { account: account_id, package: plan, subscription }) {
		if (plan === undefined && subscription === undefined) {
			throw new UsageError('accounts set needs --package, --subscription, or both.');
		}
		const wanted = { ...(plan && { package: plan }), ...(subscription && { subscription }) };
		const account = accepted(await call(broker, 'accounts.setAccount', { account_id, ...wanted }));
		return { data: account, text: accountText(account) };
	},
});
