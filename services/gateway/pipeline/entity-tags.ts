import type { IfMatch } from '../../../shared/contract/actions.ts';

const TAG = /[ \t]*(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*(?=,|$)/y;
const VERSION = /^[1-9][0-9]{0,15}$/;

/** The `ETag` of a version. */
export function entityTag(version: number): string {
	return `"${version}"`;
}

/** `If-Match`: the versions that it names. It compares strongly (RFC 9110 §13.1.1), so weak tags match nothing. */
export function parseIfMatch(header: string | undefined): IfMatch | undefined {
	if (header === undefined) return undefined;
	if (header === '*') return '*';
	return versions(entityTags(header).filter((tag) => !tag.weak));
}

/** `If-None-Match`: whether it names this version. It compares weakly (RFC 9110 §13.1.2). */
export function matchesIfNoneMatch(header: string | undefined, version: number): boolean {
	if (header === undefined) return false;
	return header === '*' || versions(entityTags(header)).includes(version);
}

interface EntityTag {
	weak: boolean;
	value: string;
}

/** A list of entity tags. A malformed entry is skipped up to the next comma; a comma inside a tag's quotes is its own. */
function entityTags(header: string): EntityTag[] {
	const tags: EntityTag[] = [];
	for (let at = 0; at < header.length; at++) {
		TAG.lastIndex = at;
		const match = TAG.exec(header);
		if (match !== null) tags.push({ weak: match[1] !== undefined, value: match[2]! });
		const comma = header.indexOf(',', match === null ? at : TAG.lastIndex);
		if (comma === -1) break;
		at = comma;
	}
	return tags;
}

function versions(tags: EntityTag[]): number[] {
	return tags.filter((tag) => VERSION.test(tag.value)).map((tag) => Number(tag.value));
}
