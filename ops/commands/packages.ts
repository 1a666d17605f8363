import { call } from '../../shared/bus/call.ts';
import { oneOf } from '../../shared/config/parsers.ts';
import type { PlanFigures } from '../../shared/contract/account-reports.ts';
import { limit, packageName } from '../line/arguments.ts';
import { accepted, command, UsageError } from '../line/command.ts';
import { packageTable } from '../tables.ts';

export const packagesList = command({
	name: 'packages list',
	summary: 'the plans and their limits',
	parameters: {},
	options: {},
	needs: ['accounts'],
	async run(broker) {
		const packages = await call(broker, 'accounts.listPackages', {});
		return { data: packages, text: packageTable(packages) };
	},
});

const yesOrNo = oneOf('yes', 'no');

export const packagesSet = command({
	name: 'packages set',
	summary: 'other limits of a plan, for every account on it; they hold at every gateway within 5 s',
	parameters: { name: { meaning: 'Plan, such as Starter', parse: packageName } },
	options: {
		rate: { placeholder: 'number', meaning: 'Requests a second; none for no limit', parse: limit(1) },
		burst: { placeholder: 'number', meaning: 'Requests at once; none where the rate is none', parse: limit(1) },
		requests: { placeholder: 'number', meaning: 'Requests a month; none for no limit', parse: limit(0) },
		bookings: { placeholder: 'number', meaning: 'Bookings a month; none for no limit', parse: limit(0) },
		services: { placeholder: 'number', meaning: 'Services; none for no limit', parse: limit(0) },
		overages: {
			placeholder: 'yes-or-no',
			meaning: 'Whether more than the monthly limits is served',
			parse: yesOrNo,
		},
	},
	needs: ['accounts'],
	async run(broker, { name, overages, ...limits }) {
		const figures: Partial<PlanFigures> = {
			...Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined)),
			...(overages !== undefined && { overages: overages === 'yes' }),
		};
		if (Object.keys(figures).length === 0)
			throw new UsageError('packages set needs an option that says what to change.');
		const plan = accepted(await call(broker, 'accounts.setPackage', { name, figures }));
		return { data: plan, text: packageTable([plan]) };
	},
});
