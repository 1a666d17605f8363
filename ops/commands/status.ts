import { call } from '../../shared/bus/call.ts';
import type {
	BacklogReport,
	LimitsReport,
	OutboxReport,
	ProcessReport,
	QueueReport,
} from '../../shared/contract/reports.ts';
import { eachNode, type NodeAnswer } from '../channel/each-node.ts';
import { command } from '../line/command.ts';
import { count, table } from '../tables.ts';

interface Status {
	processes: NodeAnswer<ProcessReport>[];
	limits: NodeAnswer<LimitsReport>[];
	queues: NodeAnswer<QueueReport>[];
	/** null where booking or its database cannot be reached */
	outbox: OutboxReport | null;
	/** null where notifications or its database cannot be reached */
	webhooks: BacklogReport | null;
}

export const status = command({
	name: 'status',
	summary: 'processes, services, versions, stores, queues, lags',
	parameters: {},
	options: {},
	needs: ['ops'],
	async run(broker) {
		const [processes, limits, queues, outbox, webhooks] = await Promise.all([
			eachNode(broker, 'ops.process', {}),
			eachNode(broker, 'gateway.limits', {}),
			eachNode(broker, 'booking.queues', {}),
			call(broker, 'booking.outbox', {}).catch(() => null),
			call(broker, 'notifications.backlog', {}).catch(() => null),
		]);
		const data: Status = { processes, limits, queues, outbox, webhooks };
		const well = outbox !== null && processes.every(({ answer }) => answer?.ready === true);
		return { data, text: textOf(data), exitCode: well ? 0 : 1 };
	},
});

function textOf({ processes, limits, queues, outbox, webhooks }: Status): string {
	return [
		table(
			['process', 'pid', 'version', 'up s', 'MiB', 'ready', 'services', 'checks'],
			processes.map(({ node, services, answer }) =>
				answer === null
					? [node, '', '', '', '', 'no answer', services.join(' '), '']
					: [
							node,
							answer.pid,
							answer.version,
							answer.uptime,
							answer.memory,
							answer.ready ? 'yes' : `no, ${answer.state}`,
							services.join(' '),
							checksText(answer.checks),
						],
			),
		),
		...closingText(processes),
		'',
		table(
			['gateway', 'let through', 'refused', 'alone', 'rate', 'failed authentication refused', 'from networks'],
			limits.map(({ node, answer }) =>
				answer === null
					? [node, '', '', '', 'no answer']
					: [
							node,
							answer.rate.taken,
							answer.rate.refused,
							answer.rate.alone,
							answer.rate.degraded ? 'Redis is away' : 'ok',
							answer.failed_authentication.refused,
							answer.failed_authentication.networks,
						],
			),
		),
		'',
		table(
			['booking process', 'waiting', 'locks taken', 'without lock', 'locks lost', 'held p99 ms', 'max', 'lock'],
			queues.map(({ node, answer }) =>
				answer === null
					? [node, '', '', '', '', '', '', 'no answer']
					: [
							node,
							answer.waiting,
							answer.lock.acquired,
							answer.lock.lock_free,
							answer.lock.lost,
							answer.lock.held.p99,
							answer.lock.held.max,
							answer.lock.degraded ? 'Redis is away' : 'ok',
						],
			),
		),
		'',
		outbox === null
			? 'booking or its database cannot be reached'
			: `${count(outbox.waiting, 'booking')} with events on their way, the oldest for ${outbox.oldest} ms`,
		webhooks === null
			? 'notifications or its database cannot be reached'
			: `${count(webhooks.waiting, 'webhook attempt')} waiting, the oldest due for ${webhooks.oldest} ms; ` +
				`${count(webhooks.failing.length, 'endpoint')} failing`,
	].join('\n');
}

/** Processes of a closed store are ready, for they serve reads. */
function closingText(processes: Status['processes']): string[] {
	const states = processes.map(({ answer }) => answer?.closing);
	if (states.includes('closed'))
		return ['', 'The store is closed: no change is taken, and nothing sent, until `reopen`.'];
	if (!states.includes('quiet')) return [];
	return [
		'',
		'The store is being closed: nothing is sent. Where no `export --close` runs any more, `reopen` opens it.',
	];
}

/** What cannot be reached; all is well where it says `ok`. */
function checksText(checks: Record<string, string>): string {
	const faults = Object.entries(checks).filter(([, check]) => check !== 'ok');
	return faults.length === 0 ? 'ok' : faults.map(([name, check]) => `${name} ${check}`).join(', ');
}
