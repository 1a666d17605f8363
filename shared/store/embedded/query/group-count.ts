import { Slices } from '../../../work/long-work.ts';
import type { Table } from '../table.ts';
import { countRange } from './count.ts';
import { type Document, type Json, type JsonObject, toJson, valueAt } from './json-value.ts';
import { planQuery } from './plan.ts';
import { scan } from './scan.ts';

/** `[{ $match }, { $group: { _id: '$path', <name>: { $sum: 1 } } }]`: the one aggregate there is. */
interface GroupCount {
	filter: JsonObject;
	/** Path of the field to group by; undefined for one group of all */
	path: string | undefined;
	name: string;
}

/** Counts the matches by a field's value. @throws Error for every other pipeline */
export async function groupCount(table: Table, pipeline: unknown): Promise<Document[]> {
	const { filter, path, name } = parse(pipeline);
	const slices = new Slices();
	try {
		const fromEntries = path && (await fromIndex(table, filter, path, slices));
		const counts = fromEntries || (await fromDocuments(table, filter, path, slices));
		return [...counts].filter(([, count]) => count > 0).map(([_id, count]) => ({ _id, [name]: count }));
	} finally {
		slices.end();
	}
}

/** Where an index answers the filter and the field has one value in each range, no document is read. */
async function fromIndex(
	table: Table,
	filter: JsonObject,
	path: string,
	slices: Slices,
): Promise<Map<Json, number> | undefined> {
	const plan = planQuery(table, filter, [], false);
	const column = plan.equalPaths.indexOf(path);
	if (!plan.exact || column < 0) return undefined;
	const counts = new Map<Json, number>();
	for (const range of plan.ranges) {
		if (slices.isUsedUp) await slices.next();
		const value = range[column];
		if (value instanceof Uint8Array) return undefined;
		const count = await countRange(table, plan.from, range, Number.POSITIVE_INFINITY, slices);
		counts.set(value as Json, (counts.get(value as Json) ?? 0) + count);
	}
	return counts;
}

async function fromDocuments(
	table: Table,
	filter: JsonObject,
	path: string | undefined,
	slices: Slices,
): Promise<Map<Json, number>> {
	const counts = new Map<Json, number>();
	const steps = scan(table, { filter, sort: [], skip: 0, limit: 0 }, slices);
	try {
		for (let step = steps.next(); ; step = steps.next()) {
			for (const { document } of step.value) {
				const value = path === undefined ? null : (valueAt(document, path) ?? null);
				if (typeof value === 'object' && value !== null) throw new Error(`the embedded store cannot group by ${path}`);
				counts.set(value, (counts.get(value) ?? 0) + 1);
			}
			if (step.done) return counts;
			await slices.next();
		}
	} finally {
		steps.return([]);
	}
}

function parse(pipeline: unknown): GroupCount {
	const unsupported = new Error('the embedded store aggregates nothing but [{ $match }, { $group: a count }]');
	if (!Array.isArray(pipeline) || pipeline.length < 1 || pipeline.length > 2) throw unsupported;
	const filter = pipeline.length === 2 ? pipeline[0]?.$match : {};
	const { _id, ...sums } = pipeline.at(-1)?.$group ?? {};
	const [[name, sum] = [], ...others] = Object.entries(sums);
	const byField = typeof _id === 'string' && _id.startsWith('$');
	if (!filter || !name || others.length > 0 || (sum as { $sum?: unknown })?.$sum !== 1) throw unsupported;
	if (!byField && _id !== null) throw unsupported;
	return { filter: toJson(filter) as JsonObject, path: byField ? _id.slice(1) : undefined, name };
}
