import { call } from '../../shared/bus/call.ts';
import type { RewrapReport } from '../../shared/contract/reports.ts';
import { eachNode } from '../channel/each-node.ts';
import { command, UsageError } from '../line/command.ts';
import { count } from '../tables.ts';

export const secretsRewrap = command({
	name: 'secrets rewrap',
	summary: 'seals webhooks’ secrets with the first SECRET_KEY; then the old one may go',
	parameters: {},
	options: {},
	needs: ['notifications'],
	async run(broker) {
		await assertOneKey();
		const total = { webhooks: 0, sealed: 0, closed: [] as number[] };
		for (let last: number | undefined; last !== 0; last = await round());
		const { closed } = total;
		return { data: total, text: textOf(total), exitCode: closed.length === 0 ? 0 : 1 };

		/** @returns how many it sealed; what was changed meanwhile is found by another round */
		async function round(): Promise<number> {
			let sealed = 0;
			total.webhooks = 0;
			total.closed = [];
			for (let after: number | null = 0; after !== null; ) {
				const piece: RewrapReport = await call(broker, 'notifications.rewrapSecrets', { after });
				total.webhooks += piece.webhooks;
				total.closed.push(...piece.closed);
				sealed += piece.sealed;
				after = piece.next;
			}
			total.sealed += sealed;
			return sealed;
		}

		/** A process that does not have the new key yet could not open what is sealed with it. */
		async function assertOneKey(): Promise<void> {
			const processes = await eachNode(broker, 'notifications.secretKeys', {});
			const silent = processes.find(({ answer }) => answer === null);
			if (silent) throw new UsageError(`${silent.node} does not answer: nothing is sealed anew without it.`);
			if (new Set(processes.map(({ answer }) => answer?.keys.join())).size > 1) {
				throw new UsageError(
					'Processes of notifications have different values of SECRET_KEY: finish the rollout first.',
				);
			}
		}
	},
});

function textOf({ webhooks, sealed, closed }: Omit<RewrapReport, 'next'>): string {
	const all = `${count(webhooks, 'webhook')}, ${sealed} sealed anew.`;
	return closed.length === 0
		? `${all} The first SECRET_KEY opens all of them: another one may go.`
		: `${all} Neither key opens those of ${closed.join(', ')}: their secrets have to be rotated.`;
}
