import type { TSchema } from 'typebox';
import type { Operation } from '../../../services/gateway/operations/operation.ts';
import { NARROWING } from '../../support/id-inputs.ts';

/** A request that an operation accepts, from the reference's own examples. */
export function exampleRequest({ id, method, path, parameters, body }: Operation): {
	method: string;
	path: string;
	options: { body?: unknown };
} {
	const target = path.replaceAll(/\{[^}]+\}/g, '7') + queryOf(parameters.query, NARROWING[id]);
	return { method, path: target, options: body ? { body: body.example } : {} };
}

/** What the operation requires, as the examples of its schema have it. */
function queryOf(query: Operation['parameters']['query'], narrowing: string[] = []): string {
	const { required = [], properties } = query as { required?: string[]; properties: Record<string, TSchema> };
	const asked = [...required, ...narrowing].map((name) => {
		const { examples } = properties[name] as { examples?: readonly unknown[] };
		return [name, String(examples![0])] as [string, string];
	});
	return asked.length === 0 ? '' : `?${new URLSearchParams(asked)}`;
}
