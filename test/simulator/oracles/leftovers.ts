import { deletionsOf, outcome } from '../workload/history.ts';
import type { Finding, Oracle } from './evidence.ts';

/** What has no owner any more is not left behind (X15): a deleted webhook has no deliveries. */
export const leftovers: Oracle = ({ history, documents }) => {
	const findings: Finding[] = [];
	const deletions = deletionsOf(history);
	const byWebhook = Map.groupBy(documents('deliveries'), ({ webhook_id }) => webhook_id as number);
	for (const [webhook, deliveries] of byWebhook) {
		const operations = deletions.get(`/v1/webhooks/${webhook}`) ?? [];
		if (!operations.some((operation) => outcome(operation) === 'done')) continue;
		const what = `webhook ${webhook} is deleted, and has ${deliveries.length} deliveries`;
		findings.push({ rule: 'nothing without an owner (X15)', what, operations });
	}
	return findings;
};
