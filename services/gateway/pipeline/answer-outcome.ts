import type { IfMatch } from '../../../shared/contract/actions.ts';
import { Slices } from '../../../shared/work/long-work.ts';
import type { Operation, Outcome } from '../operations/operation.ts';
import { type Answer, giveBack } from './answer.ts';

/** Rows between two looks at the clock: a booking may have 10 kB */
const ROWS_A_LOOK = 10;
/** Rows from which on an answer is made in slices */
const MANY = 100;
/** Characters that become bytes together */
const PART = 256 * 1024;

/** The answer of a success: 304 without a body where the client has this version already. */
export function answerOutcome(
	operation: Operation,
	outcome: Outcome,
	ifNoneMatch: string | undefined,
): Answer | Promise<Answer> {
	const { data, rowsText, version, location, replayed } = outcome;
	const headers: Record<string, string> = {};
	if (version !== undefined) {
		headers.ETag = entityTag(version);
		if (operation.headers.ifNoneMatch && matchesIfNoneMatch(ifNoneMatch, version)) return { status: 304, headers };
	}
	if (location !== undefined) headers.Location = location;
	if (replayed) headers['Idempotent-Replayed'] = 'true';
	const answer = (body: string | Buffer) => ({ status: operation.answer.status, headers, body, isOwn: true });
	const body = stringify(data, rowsText);
	return typeof body === 'string' ? answer(body) : body.then(answer);
}

/** The envelope of a success (contract §1). A long list takes milliseconds, so others have their turns meanwhile. */
function stringify(data: unknown, rowsText: RowsText = asJson): string | Promise<Buffer> {
	if (Array.isArray(data) && data.length > MANY) return inSlices('{"data":', [data], asJson, () => '}');
	const [name, pieces] = longList(data);
	if (pieces === undefined) return JSON.stringify({ data });
	return inSlices(`{"data":{${JSON.stringify(name)}:`, pieces, rowsText, () => {
		const { [name]: _, ...others } = data as Record<string, unknown>;
		const rest = JSON.stringify(others).slice(1);
		return rest === '}' ? '}}' : `,${rest}}`;
	});
}

type Rows = readonly unknown[];
type Pieces = Iterable<Rows> | AsyncIterable<Rows>;
type RowsText = (rows: Rows) => string;

const asJson: RowsText = (rows) => JSON.stringify(rows).slice(1, -1);

/** Lists come first in every answer that has one. */
function longList(data: unknown): [name: string, pieces: Pieces | undefined] {
	for (const name in data as object | null) {
		const value = (data as Record<string, unknown>)[name]; // the first one: entries of all would be made for nothing
		if (Array.isArray(value)) return [name, value.length > MANY ? [value] : undefined];
		return [name, isInPieces(value) ? value : undefined];
	}
	return ['', undefined];
}

function isInPieces(value: unknown): value is AsyncIterable<Rows> {
	return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

/** @param tail what follows the rows: it may be known only when all of them came */
async function inSlices(head: string, pieces: Pieces, rowsText: RowsText, tail: () => string): Promise<Buffer> {
	const parts: Buffer[] = [];
	let [text, separator] = [`${head}[`, ''];
	for await (const rows of pieces) {
		const slices = new Slices();
		try {
			for (let at = 0; at < rows.length; at += ROWS_A_LOOK) {
				if (slices.isUsedUp) await slices.next();
				text += separator + rowsText(rows.slice(at, at + ROWS_A_LOOK));
				separator = ',';
				if (text.length < PART) continue;
				parts.push(Buffer.from(text));
				text = '';
			}
		} finally {
			slices.end();
		}
	}
	parts.push(Buffer.from(`${text}]${tail()}`));
	return joined(parts);
}

/** In memory of its own, which can be given back as soon as it is sent; meanwhile that of the parts is given back one by one. */
function joined(parts: Buffer[]): Buffer {
	if (parts.length === 1) return parts[0]!;
	const whole = Buffer.allocUnsafeSlow(parts.reduce((sum, { length }) => sum + length, 0));
	let at = 0;
	for (const part of parts) {
		at += part.copy(whole, at);
		giveBack(part);
	}
	return whole;
}

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
