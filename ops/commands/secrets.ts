import type { ServiceBroker } from 'moleculer';
import { call } from '../../shared/bus/call.ts';
import type { RewrapReport } from '../../shared/contract/reports.ts';
import { eachNode } from '../channel/each-node.ts';
import { command, recordCommand, UsageError } from '../line/command.ts';
import { count } from '../tables.ts';

export const secretsRewrap = command({
	name: 'secrets rewrap',
	summary: 'seals webhooks’ secrets with the first SECRET_KEY; then the old one may go',
	parameters: {},
	options: {},
	needs: ['notifications'],
	async run(broker) {
		await assertOneKey(broker);
		await recordCommand(broker, 'secrets.rewrapped', 'webhooks');
		let sealed = 0;
		let round: Round;
		do {
			round = await rewrapAll(broker); // what was changed meanwhile is found by another round
			sealed += round.sealed;
		} while (round.sealed > 0);
		const data = { ...round, sealed };
		return { data, text: textOf(data), exitCode: data.closed.length === 0 ? 0 : 1 };
	},
});

type Round = Omit<RewrapReport, 'next'>;

/** @throws UsageError where a process does not have the keys that the others have: it could not open what is sealed anew */
async function assertOneKey(broker: ServiceBroker): Promise<void> {
	const processes = await eachNode(broker, 'notifications.secretKeys', {});
	const silent = processes.find(({ answer }) => answer === null);
	if (silent) throw new UsageError(`${silent.node} does not answer: nothing is sealed anew without it.`);
	if (new Set(processes.map(({ answer }) => answer?.keys.join())).size > 1) {
		throw new UsageError('Processes of notifications have different values of SECRET_KEY: finish the rollout first.');
	}
}

/** Every webhook once. */
async function rewrapAll(broker: ServiceBroker): Promise<Round> {
	const round: Round = { webhooks: 0, sealed: 0, closed: [] };
	for (let after: number | null = 0; after !== null; ) {
		const piece: RewrapReport = await call(broker, 'notifications.rewrapSecrets', { after });
		round.webhooks += piece.webhooks;
		round.sealed += piece.sealed;
		round.closed.push(...piece.closed);
		after = piece.next;
	}
	return round;
}

function textOf({ webhooks, sealed, closed }: Round): string {
	const all = `${count(webhooks, 'webhook')}, ${sealed} sealed anew.`;
	return closed.length === 0
		? `${all} The first SECRET_KEY opens all of them: another one may go.`
		: `${all} Neither key opens those of ${closed.join(', ')}: their secrets have to be rotated.`;
}
