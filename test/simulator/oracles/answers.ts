import { type Operation, outcome } from '../workload/history.ts';
import type { Finding, Oracle } from './evidence.ts';

/** ms within which each request is answered, and what the way may take (contract §1) */
const LONGEST = 10_000 + 100;

/** No 500; no answer after 10 s, unless a gateway stood still. */
export const answers: Oracle = ({ history, outages }) => {
	const findings: Finding[] = [];
	for (const operation of history.operations) {
		const { answer, began, ended } = operation;
		if (answer?.status === 500) findings.push({ rule: 'no 500', what: 'an internal error', operations: [operation] });
		if (answer && !envelopeIsRight(operation)) {
			findings.push({ rule: 'envelope', what: 'neither data nor an error with its code', operations: [operation] });
		}
		const isExcused = outages.some(({ from, to }) => from <= ended! && to >= began);
		if (answer && !isExcused && ended! - began > LONGEST) {
			const what = `answered after ${((ended! - began) / 1000).toFixed(2)} s`;
			findings.push({ rule: 'answered within 10 s', what, operations: [operation] });
		}
	}
	return findings;
};

function envelopeIsRight(operation: Operation): boolean {
	const body = operation.answer!.body as object | undefined;
	if (body === undefined) return operation.answer!.status === 304;
	const names = Object.keys(body).join();
	if (outcome(operation) === 'done') return names === 'data';
	return names === 'error,code' || names === 'error,code,faults';
}
