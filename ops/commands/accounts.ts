import { call } from '../../shared/bus/call.ts';
import { oneOf } from '../../shared/config/parsers.ts';
import { accountId, email, label, packageName, retention } from '../line/arguments.ts';
import { accepted, allPages, type Command, command, UsageError } from '../line/command.ts';
import { accountText, packageTable, table } from '../tables.ts';

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

const subscriptionStatus = oneOf('trialing', 'active', 'past_due', 'canceled');

export const accountsSet = command({
	name: 'accounts set',
	summary: 'another package or subscription, which hold at every gateway within 5 s, or how long bookings are kept',
	parameters: { account: { meaning: 'Id of the account', parse: accountId } },
	options: {
		package: { placeholder: 'name', meaning: 'Plan, such as Growth', parse: packageName },
		subscription: {
			placeholder: 'status',
			meaning: 'trialing, active, past_due or canceled',
			parse: subscriptionStatus,
		},
		retention: {
			placeholder: 'days',
			meaning: 'Removes bookings that ended longer ago, such as 400d; none keeps all',
			parse: retention,
		},
	},
	needs: ['accounts'],
	async run(broker, { account: account_id, package: plan, subscription, retention: retention_days }) {
		if (plan === undefined && subscription === undefined && retention_days === undefined) {
			throw new UsageError('accounts set needs --package, --subscription or --retention.');
		}
		const wanted = {
			...(plan && { package: plan }),
			...(subscription && { subscription }),
			...(retention_days !== undefined && { retention_days }),
		};
		const account = accepted(await call(broker, 'accounts.setAccount', { account_id, ...wanted }));
		return { data: account, text: accountText(account) };
	},
});

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
