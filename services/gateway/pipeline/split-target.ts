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
