import type { Operation } from '../operations/operation.ts';

/** What an operation that answers `Location` leads to: the operations on what it made, by the id in its answer. */
export function linksOf({ path, headers }: Operation, operations: readonly Operation[]): Record<string, unknown> {
	if (!headers.location) return {};
	const links = operations.flatMap((other) => {
		const parameter = /^\/\{(\w+)\}(?:\/[\w-]+)?$/.exec(other.path.slice(path.length))?.[1];
		if (!other.path.startsWith(path) || parameter === undefined) return [];
		const link = {
			operationId: other.id,
			description: other.summary,
			parameters: { [parameter]: '$response.body#/data/id' },
		};
		return [[other.id, link] as const];
	});
	return { links: Object.fromEntries(links) };
}
