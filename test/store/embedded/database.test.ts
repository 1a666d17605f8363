import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Database } from '../../../shared/store/embedded/database.ts';
import { temporaryDirectory } from '../stores.ts';

describe('the database file', () => {
	const directory = temporaryDirectory();
	let database: Database;
	beforeAll(() => {
		database = new Database(directory());
		database.exec('CREATE TABLE numbers (n)');
		for (let n = 0; n < 10; n++) database.run('INSERT INTO numbers VALUES (?)', n);
	});
	afterAll(() => database.close());

	const numbers = () => database.iterate('SELECT n FROM numbers ORDER BY n');

	test('When it is opened, then SQLite syncs its log before it moves it, and the file is for this process alone', () => {
		const settings = ['journal_mode', 'synchronous', 'locking_mode', 'temp_store'];
		expect(settings.map((name) => database.get(`PRAGMA ${name}`)?.[0])).toEqual(['wal', 1, 'exclusive', 2]);
	});

	test('When rows are stepped through and left early, then the log can be emptied', () => {
		for (const [n] of numbers()) if (n === 3) break;
		expect(database.get('PRAGMA wal_checkpoint(TRUNCATE)')).toEqual([0, 0, 0]);
	});

	test('When one text is stepped through twice at once, then each has its own rows', () => {
		const [one, other] = [numbers(), numbers()];
		expect([one.next().value, one.next().value, other.next().value, one.next().value]).toEqual([[0], [1], [0], [2]]);
		expect([...other].flat()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
		expect([...one].flat()).toEqual([3, 4, 5, 6, 7, 8, 9]);
		expect([...numbers()]).toHaveLength(10);
	});
});
