import { outcome } from '../workload/history.ts';
import type { Finding, Oracle } from './evidence.ts';

/** What was asked of one version was done to that one: it made the next, or found that nothing changes. */
export const preconditions: Oracle = ({ history }) => {
	const findings: Finding[] = [];
	for (const operation of history.operations) {
		const { method, headers, body, answer } = operation;
		const asked = Number(headers?.['if-match']?.replaceAll('"', '') ?? body?.version);
		const came = Number(/^"(\d+)"$/.exec(String(answer?.headers.etag))?.[1]);
		if (method !== 'PATCH' || outcome(operation) !== 'done' || Number.isNaN(asked) || Number.isNaN(came)) continue;
		if (came === asked || came === asked + 1) continue;
		const what = `version ${asked} was asked for, and version ${came} was made`;
		findings.push({ rule: 'only of the version that was asked for', what, operations: [operation] });
	}
	return findings;
};
