import { isKind, type Operation } from '../history.ts';
import type { Chronicle, Version } from './chronicle.ts';
import { contentOf, explainsChange } from './explain.ts';
import type { Observation } from './observations.ts';
import type { Findings } from './violation.ts';

/**
 * Versions grow by one with each change, and none is given twice: whoever was answered or shown a version was shown the
 * same. An answered change shows what was asked for. A booking is deleted once, and nothing comes after that.
 *
 * (That each version has a request of its own is the makers' rule; that none is left out, the events' rule.)
 */
export function checkVersions(chronicles: Iterable<Chronicle>, findings: Findings): void {
	for (const { id, versions, deletions } of chronicles) {
		for (const [index, version] of versions.entries()) {
			checkSightings(id, version, findings);
			if (version.deleted && index < versions.length - 1) {
				findings.add(`booking ${id} has versions after its deletion in version ${version.number}`);
			}
			if (index > 0) checkMade(id, versions[index - 1]!, version, findings);
		}
		if (deletions.length > 1) findings.add(`booking ${id} was deleted ${deletions.length} times`);
	}
}

function checkSightings(id: number, { number, state, seen }: Version, findings: Findings): void {
	if (state === undefined) return;
	const [whole, customer] = [JSON.stringify(state), JSON.stringify(state.customer)];
	for (const sighting of seen) {
		const same = sighting.data
			? JSON.stringify(sighting.data) === whole
			: JSON.stringify(sighting.customer) === customer;
		if (!same) findings.add(`booking ${id}: ${nameOf(sighting)} shows another version ${number} than others`);
		const lack = sighting.operation && missing(sighting.operation, sighting);
		if (lack) findings.add(`booking ${id}: operation ${sighting.operation!.op} was answered without its ${lack}`);
	}
}

function nameOf({ operation }: Observation): string {
	return operation ? `operation ${operation.op}` : 'the final state';
}

/** A field that was asked for and that the answer does not have. */
function missing(operation: Operation, { data, customer }: Observation): string | undefined {
	if (isKind(operation, 'update customer')) {
		const { body } = operation.asked;
		return (['name', 'email', 'phone'] as const).find((field) => {
			return body[field] !== undefined && body[field] !== customer![field];
		});
	}
	if (!isKind(operation, 'update')) return undefined;
	const { body } = operation.asked;
	const shown = contentOf(data!);
	const { status, time_slot_id, date, message } = body;
	const asked = { status, time_slot_id, date, message };
	return (['status', 'time_slot_id', 'date', 'message'] as const).find((field) => {
		return asked[field] !== undefined && asked[field] !== shown[field];
	});
}

/** The answer of the only operation that can have made a version is, to the letter, what its event says. */
function checkMade(id: number, before: Version, version: Version, findings: Findings): void {
	const { event, makers, seen, number } = version;
	const [maker] = makers;
	if (!event || !maker || makers.length > 1 || !isKind(maker, 'update')) return;
	if (!before.state || !explainsChange(maker, before.state, event.data, false)) return;
	const answer = seen.find(({ operation }) => operation === maker)?.data;
	if (answer === undefined || JSON.stringify(answer) === JSON.stringify(event.data)) return;
	findings.add(`booking ${id}: the event of version ${number} is not what operation ${maker.op} was answered`);
}
