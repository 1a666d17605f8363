import { expect, test } from '@jest/globals';
import { MongoNetworkError } from 'mongodb';
import { pino } from 'pino';
import { ApiError } from '../../shared/contract/errors.ts';
import { describeError, logFailure } from '../../shared/log/log.ts';

const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });

/** The line that a failure leaves in the log. */
function lineOf(error: unknown): Record<string, unknown> {
	const lines: string[] = [];
	const stream = { write: (line: string) => void lines.push(line) };
	logFailure(pino({ serializers: { err: describeError } }, stream), error, 'left for later', { bookings: 2 });
	return JSON.parse(lines.join('')) as Record<string, unknown>;
}

test.each([
	['a lost connection', reset],
	['a lost connection to the database', new MongoNetworkError('read ECONNRESET')],
	['a service that is away', new ApiError('service_unavailable')],
	['a service that is too slow', new ApiError('gateway_timeout')],
])('When work fails for %s, then that is a warning with its reason and without a stack', (_, error) => {
	const line = lineOf(error);
	expect(line).toMatchObject({ level: 40, msg: 'left for later', reason: error.message, bookings: 2 });
	expect(JSON.stringify(line)).not.toContain('log-failure.test');
});

test('When work fails for a bug, then that is an error with its stack', () => {
	expect(lineOf(new TypeError('x is not a function'))).toMatchObject({
		level: 50,
		err: { name: 'TypeError', stack: expect.stringContaining('log-failure.test') },
	});
});
