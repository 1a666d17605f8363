import { describe, expect, test } from '@jest/globals';
import { mongo } from 'mongoose';
import {
	bulkWriteErrors,
	deadlockDetected,
	isDuplicateKey,
	isUnavailable,
	mayStillLand,
	retryDeadlock,
	StoreUnavailable,
} from '../../shared/store/write-errors.ts';

const serverError = (code: number, message = 'refused') => new mongo.MongoServerError({ message, code });

/** As the driver throws it from an insertMany. */
function bulkError(cause: object, insertedCount = 0, concern?: object): Error {
	const result = { insertedCount, getWriteConcernError: () => concern };
	return new mongo.MongoBulkWriteError(cause as never, result as never);
}

describe('errors of writes', () => {
	test('When a write met a unique index, alone or in bulk, then it is a duplicate key', () => {
		expect(isDuplicateKey(serverError(11_000))).toBe(true);
		expect(isDuplicateKey(bulkError({ message: 'x', code: 1, writeErrors: [{ index: 2, code: 11_000 }] }))).toBe(true);
		for (const other of [serverError(2), new Error('11000'), null, undefined, 'E11000']) {
			expect(isDuplicateKey(other)).toBe(false);
		}
	});

	test('When a compatible server says it in words only, then it is a duplicate key and nothing worse', () => {
		const error = serverError(1, 'conflicting key value violates exclusion constraint "documents_rum_index_271"');
		expect([isDuplicateKey(error), isUnavailable(error), mayStillLand(error)]).toEqual([true, false, false]);
	});

	test('When an insertMany was refused in part, then the refused ones are known', () => {
		const writeErrors = [{ index: 2, code: 11_000, errmsg: 'x' }];
		expect(bulkWriteErrors(bulkError({ message: 'x', code: 11_000, writeErrors }))).toEqual([
			{ index: 2, code: 11_000 },
		]);
	});

	test('When the outcome of an insertMany is not known, then no document is told', () => {
		const writeErrors = [{ index: 2, code: 11_000 }];
		expect(bulkWriteErrors(bulkError(new mongo.MongoNetworkError('gone')))).toBeUndefined();
		expect(bulkWriteErrors(bulkError({ message: 'x', code: 64, writeErrors }, 1, { code: 64 }))).toBeUndefined();
		expect(bulkWriteErrors(new StoreUnavailable('disk full'))).toBeUndefined();
		expect(bulkWriteErrors(undefined)).toBeUndefined();
	});

	test.each([
		['the disk is full', new StoreUnavailable('disk full'), false],
		['the connection was lost', new mongo.MongoNetworkError('reset'), true],
		['the socket failed', Object.assign(new Error('write ECONNRESET'), { code: 'ECONNRESET' }), true],
		['the socket failed in bulk', bulkError(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })), true],
		['the answer took too long', new mongo.MongoNetworkTimeoutError('timed out'), true],
		[
			'some were refused, and a majority did not confirm the others',
			bulkError({ message: 'x', code: 11_000, writeErrors: [{ index: 2, code: 11_000 }] }, 1, { code: 64 }),
			true,
		],
		['the connection was lost in bulk', bulkError(new mongo.MongoNetworkError('reset')), true],
		['no server was selected', new mongo.MongoServerSelectionError('none', {} as never), false],
		['there is no primary', serverError(10_107), false],
		['the primary steps down', serverError(11_602), true],
		['the server shuts down', serverError(91), true],
		['the server failed within', serverError(1, 'terminating connection due to unexpected postmaster exit'), true],
		['a deadlock does not end', serverError(deadlockDetected), false],
	])('When %s, then the store is unavailable', (_, error, landing) => {
		expect(isUnavailable(error)).toBe(true);
		expect(mayStillLand(error)).toBe(landing);
	});

	test.each([
		['a duplicate key', serverError(11_000)],
		['a bug', new TypeError('x is undefined')],
		['a validation error', Object.assign(new Error('invalid'), { name: 'ValidationError' })],
	])('When it is %s, then the store is not unavailable', (_, error) => {
		expect(isUnavailable(error)).toBe(false);
		expect(mayStillLand(error)).toBe(false);
	});

	test('When the server found a deadlock, then the write is tried again, five times in all', async () => {
		let attempts = 0;
		const error = await retryDeadlock(async () => {
			attempts++;
			throw serverError(deadlockDetected, 'deadlock detected');
		}).catch((failure) => failure);
		expect([attempts, error.code]).toEqual([5, deadlockDetected]);
		attempts = 0;
		expect(await retryDeadlock(async () => (++attempts < 3 ? Promise.reject(serverError(deadlockDetected)) : 7))).toBe(
			7,
		);
	});

	test('When a deadlock left an insertMany half done, or the error is another, then it is not tried again', async () => {
		const writeErrors = [{ index: 0, code: deadlockDetected }];
		const failures = [
			bulkError({ message: 'deadlock detected', code: deadlockDetected, writeErrors }, 1),
			bulkError({ message: 'x', code: deadlockDetected, writeErrors: [...writeErrors, { index: 1, code: 11_000 }] }),
			serverError(11_000),
			new mongo.MongoNetworkError('reset'),
		];
		for (const failure of failures) {
			let attempts = 0;
			const failing = retryDeadlock(async () => {
				attempts++;
				throw failure;
			});
			await expect(failing).rejects.toBe(failure);
			expect(attempts).toBe(1);
		}
	});
});
