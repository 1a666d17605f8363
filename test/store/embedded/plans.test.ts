import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { Database, databaseFile } from '../../../shared/store/embedded/database.ts';
import { planQuery, type Sort } from '../../../shared/store/embedded/query/plan.ts';
import type { Index } from '../../../shared/store/embedded/shape.ts';
import { Table } from '../../../shared/store/embedded/table.ts';
import { temporaryDirectory } from '../stores.ts';

const index = (name: string, key: Index['key'], unique = false): Index => ({ name, key, unique });

describe('the plan of a query', () => {
	const directory = temporaryDirectory();
	let table: Table;
	/** Its ids are texts */
	let named: Table;
	let explain: (sql: string, values: unknown[]) => string;
	beforeAll(() => {
		const dataDir = directory();
		const database = new Database(dataDir);
		const fields = ['seat_key', 'account_id', 'service_id', 'place', 'date', 'at', 'status', 'until'];
		const shape = { fields: fields.map((name) => ({ name, kind: 'scalar' as const })), isNumbered: true };
		table = new Table(database, 'rows', shape);
		named = new Table(database, 'named', { ...shape, isNumbered: false });
		table.createIndex(index('seat_key', [['seat_key', 1]], true));
		table.createIndex(
			index('place', [
				['place', 1],
				['account_id', 1],
			]),
		);
		table.createIndex(
			index('listed', [
				['account_id', 1],
				['service_id', 1],
				['_id', 1],
			]),
		);
		table.createIndex(
			index('by_date', [
				['account_id', 1],
				['service_id', 1],
				['date', 1],
				['_id', 1],
			]),
		);
		table.createIndex(
			index('newest', [
				['account_id', 1],
				['at', -1],
			]),
		);
		table.createIndex({ ...index('held', [['until', 1]]), part: { path: 'until', above: 0 } });
		database.close();
		const sqlite = new DatabaseSync(join(dataDir, databaseFile));
		explain = (sql, values) =>
			(sqlite.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...(values as never[])) as { detail: string }[])
				.map(({ detail }) => detail)
				.join('; ');
	});

	const owned = { account_id: 'a', service_id: 1 };
	const byId: Sort = [['_id', 1]];

	test.each<[string, object, Sort, { uses: string; exact: boolean; ordered: boolean }]>([
		['a look-up', { _id: 1, account_id: 'a' }, [], { uses: 'INTEGER PRIMARY KEY', exact: true, ordered: true }],
		['a look-up by ids', { _id: { $in: [1, 2] } }, byId, { uses: 'INTEGER PRIMARY KEY', exact: true, ordered: true }],
		['a unique key', { seat_key: 'x' }, [], { uses: 'rows.seat_key', exact: true, ordered: true }],
		[
			'places',
			{ place: { $in: ['x', 'y'] }, account_id: { $in: ['a'] } },
			[],
			{ uses: 'rows.place', exact: true, ordered: true },
		],
		[
			'all places of a long answer',
			{ place: { $in: Array.from({ length: 1_500 }, (_, n) => `${n}`) }, account_id: 'a' },
			[],
			{ uses: 'rows.place', exact: true, ordered: true },
		],
		['a part of a key', { place: 'x' }, [], { uses: 'rows.place', exact: true, ordered: true }],
		['a page', owned, byId, { uses: 'rows.listed', exact: true, ordered: true }],
		['a page backwards', owned, [['_id', -1]], { uses: 'rows.listed', exact: true, ordered: true }],
		['a page after an id', { ...owned, _id: { $gt: 5 } }, byId, { uses: 'rows.listed', exact: true, ordered: true }],
		['a page of a date', { ...owned, date: 'd' }, byId, { uses: 'rows.by_date', exact: true, ordered: true }],
		[
			'a range of dates',
			{ ...owned, date: { $gte: 'd', $lte: 'e' } },
			[],
			{ uses: 'rows.by_date', exact: true, ordered: true },
		],
		[
			'dates in order',
			{ ...owned, date: { $gte: 'd' } },
			[
				['date', 1],
				['_id', 1],
			],
			{ uses: 'rows.by_date', exact: true, ordered: true },
		],
		['a page with a filter', { ...owned, status: 'x' }, byId, { uses: 'rows.listed', exact: false, ordered: true }],
		['the newest', { account_id: 'a' }, [['at', -1]], { uses: 'rows.newest', exact: true, ordered: true }],
		['the oldest', { account_id: 'a' }, [['at', 1]], { uses: 'rows.newest', exact: true, ordered: true }],
		['what is held', { until: { $gt: 0, $lte: 9 } }, [['until', 1]], { uses: 'rows.held', exact: true, ordered: true }],
		['all by id', {}, byId, { uses: 'SCAN rows', exact: true, ordered: true }],
		['another order', owned, [['status', 1]], { uses: 'rows.listed', exact: true, ordered: false }],
	])('When it is %s, then one index finds it and SQL sorts nothing', (_, filter, sort, expected) => {
		const plan = planQuery(table, filter as never, sort, true);
		expect(plan).toMatchObject({ exact: expected.exact, ordered: expected.ordered });
		const detail = explain(`SELECT ${table.columns.list}, rowid ${plan.from}${plan.orderBy} LIMIT ? OFFSET ?`, [
			...plan.ranges[0]!,
			1,
			0,
		]);
		expect(detail).toContain(expected.uses);
		expect(detail).not.toMatch(/TEMP B-TREE|AUTOMATIC/);
		if (Object.keys(filter).length > 0) expect(detail).toMatch(/^SEARCH/);
	});

	test('When a filter may find what a partial index lacks, then it is not used', () => {
		for (const until of [{ $gte: 0 }, { $gt: -1 }, { $lte: 9 }, null, 0, { $in: [0, 5] }, 'a']) {
			expect(planQuery(table, { until } as never, [], true).from).toContain('NOT INDEXED');
			expect(() => planQuery(table, { until } as never, [], true, 'held')).toThrow('lacks what the filter may find');
		}
		for (const until of [{ $gte: 1 }, 5, { $in: [4, 5] }]) {
			expect(planQuery(table, { until } as never, [], true).from).toContain('held');
		}
	});

	test('When an id is a text, then an index finds it', () => {
		const plan = planQuery(named, { _id: 'x' } as never, [], true);
		expect(explain(`SELECT ${named.columns.list}, rowid ${plan.from}`, plan.ranges[0]!)).toMatch(/^SEARCH.*autoindex/);
	});

	test('When a count is exact, then the index alone answers it', () => {
		const plan = planQuery(table, owned as never, [], false);
		const detail = explain(`SELECT count(*) FROM (SELECT 1 ${plan.from} LIMIT ?)`, [...plan.ranges[0]!, 10]);
		expect(detail).toContain('USING COVERING INDEX rows.');
	});
});
