import type { Operation, Outcome } from '../operations/operation.ts';
import type { Answer } from './answer.ts';
import { entityTag, matchesIfNoneMatch } from './entity-tags.ts';
import { stringify } from './stringify.ts';

/** The answer of a success: 304 without a body where the client has this version already, and a version is all it takes. */
export function answerOutcome(
	operation: Operation,
	outcome: Outcome,
	ifNoneMatch: string | undefined,
): Answer | Promise<Answer> {
	const { data, version, inconstant, location, replayed } = outcome;
	const headers: Record<string, string> = {};
	if (version !== undefined) {
		headers.ETag = entityTag(version);
		const conditional = operation.headers.ifNoneMatch && !inconstant;
		if (conditional && matchesIfNoneMatch(ifNoneMatch, version)) return { status: 304, headers };
	}
	if (location !== undefined) headers.Location = location;
	if (replayed) headers['Idempotent-Replayed'] = 'true';
	const answer = (body: string | Buffer) => ({ status: operation.answer.status, headers, body, isOwn: true });
	const body = stringify(data);
	return typeof body === 'string' ? answer(body) : body.then(answer);
}
