import { call } from '../../shared/bus/call.ts';
import { accepted } from '../line/accepted.ts';
import { accountId } from '../line/arguments.ts';
import { type Command, command } from '../line/command.ts';
import { accountText } from '../tables/account-text.ts';

export const accountsSuspend = suspension(
	'accounts suspend',
	'its keys answer 403 `account suspended` within 5 s',
	true,
);
export const accountsResume = suspension('accounts resume', 'its keys work again', false);

function suspension(name: string, summary: string, suspended: boolean): Command {
	return command({
		name,
		summary,
		parameters: { account: { meaning: 'Id of the account', parse: accountId } },
		options: {},
		needs: ['accounts'],
		async run(broker, { account: account_id }) {
			const account = accepted(await call(broker, 'accounts.suspendAccount', { account_id, suspended }));
			return { data: account, text: accountText(account) };
		},
	});
}
