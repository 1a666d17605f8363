import { call } from '../../shared/bus/call.ts';
import { command } from '../line/command.ts';
import { packageTable } from '../tables/package-table.ts';

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
