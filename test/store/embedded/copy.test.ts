import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { Database, databaseFile } from '../../../shared/store/embedded/database.ts';
import { temporaryDirectory } from '../stores.ts';

const ROWS = 10_000;
const COPIES = 20;
/** Of a transaction: so many that a copy often meets one */
const PAIRS = 50;

const directory = temporaryDirectory();

test('D1: When transactions are written all the time, then each copy succeeds, and is of one moment', async () => {
	const database = new Database(join(directory(), 'source'));
	database.exec('CREATE TABLE rows (id INTEGER PRIMARY KEY, value INTEGER, text TEXT)');
	database.begin();
	for (let id = 0; id < ROWS; id++) database.run('INSERT INTO rows VALUES (?, 0, ?)', id, 'x'.repeat(500));
	database.commit();
	let isOver = false;
	/** Each takes from one row what it gives another. */
	const writing = (async () => {
		for (let at = 0; !isOver; at++) {
			database.begin();
			for (let pair = at; pair < at + PAIRS; pair++) {
				for (const [step, id] of [pair % ROWS, (pair * 7 + 1) % ROWS].entries()) {
					const text = 'y'.repeat(500);
					database.run('UPDATE rows SET value = value + ?, text = ? WHERE id = ?', 1 - 2 * step, text, id);
				}
			}
			database.commit();
			await turn();
		}
	})();
	try {
		for (let copy = 0; copy < COPIES; copy++) {
			const target = join(directory(), `copy-${copy}`);
			mkdirSync(target);
			writeFileSync(join(target, databaseFile), '');
			await database.copyTo(join(target, databaseFile));
			const copied = new Database(target);
			expect(copied.get('SELECT count(*), sum(value) FROM rows')).toEqual([ROWS, 0]);
			copied.close();
		}
	} finally {
		isOver = true;
		await writing;
		database.close();
	}
});
