/** What is behind a path: an endpoint per method, and the `Allow` header of the others. */
export interface Resource<Endpoint> {
	endpoints: ReadonlyMap<string, Endpoint>;
	allow: string;
}

interface Node<Endpoint> {
	literals: Map<string, Node<Endpoint>>;
	parameter: Node<Endpoint> | undefined;
	endpoints: Map<string, Endpoint>;
	resource: Resource<Endpoint> | undefined;
}

/**
 * Finds what is behind a path, segment by segment: the cost grows with the path, not with the table. Paths are
 * case-sensitive, `/v1/services/` is not `/v1/services`, and nothing is decoded: no path here needs percent-encoding,
 * so one that has it is another path, or an id that is refused.
 */
export class Router<Endpoint> {
	readonly #root: Node<Endpoint> = emptyNode();

	/** @param path such as `/v1/bookings/{bookingID}`. A GET endpoint answers HEAD too. */
	add(method: string, path: string, endpoint: Endpoint): void {
		let node = this.#root;
		for (const segment of path.slice(1).split('/')) {
			if (segment.startsWith('{')) {
				node.parameter ??= emptyNode();
				node = node.parameter;
			} else {
				if (!node.literals.has(segment)) node.literals.set(segment, emptyNode());
				node = node.literals.get(segment)!;
			}
		}
		node.endpoints.set(method, endpoint);
		if (method === 'GET') node.endpoints.set('HEAD', endpoint);
		node.resource = { endpoints: node.endpoints, allow: [...node.endpoints.keys()].join(', ') };
	}

	/** `values`: the path's parameters, in their order; undefined where there is no such path */
	find(path: string): { resource: Resource<Endpoint>; values: string[] } | undefined {
		if (path[0] !== '/') return undefined;
		const values: string[] = [];
		let node: Node<Endpoint> | undefined = this.#root;
		for (let start = 1, end = 0; end < path.length; start = end + 1) {
			const slash = path.indexOf('/', start);
			end = slash === -1 ? path.length : slash;
			const segment = path.slice(start, end);
			const literal: Node<Endpoint> | undefined = node.literals.get(segment);
			if (literal === undefined) values.push(segment);
			node = literal ?? (segment === '' ? undefined : node.parameter);
			if (node === undefined) return undefined;
		}
		return node.resource && { resource: node.resource, values };
	}
}

function emptyNode<Endpoint>(): Node<Endpoint> {
	return { literals: new Map(), parameter: undefined, endpoints: new Map(), resource: undefined };
}

/**
 * The path and the query of a request target. A proxy may send the absolute form, `http://host/path` (RFC 9112 §3.2.2);
 * its host means nothing here.
 */
export function splitTarget(target: string): { path: string; query: string } {
	const local = target[0] === '/' ? target : withoutAuthority(target);
	const mark = local.indexOf('?');
	return mark === -1 ? { path: local, query: '' } : { path: local.slice(0, mark), query: local.slice(mark + 1) };
}

function withoutAuthority(target: string): string {
	const authority = /^https?:\/\/[^/?]*/i.exec(target);
	return authority === null ? target : target.slice(authority[0].length);
}
