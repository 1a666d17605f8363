import { METHODS } from 'node:http';
import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { operations } from '../../services/gateway/operations/index.ts';
import type { Exchange } from '../../services/gateway/pipeline/exchange.ts';
import { openRequestLog } from '../../services/gateway/pipeline/request-log.ts';

function logging(level = 'info') {
	const lines: string[] = [];
	const logger = pino({ level }, { write: (line: string) => void lines.push(line) }).child({ module: 'gateway' });
	return { lines, logger, log: openRequestLog(logger) };
}

/** What the log looks at in an exchange */
function exchangeOf(seen: Partial<Omit<Exchange, 'request'>> & { method?: string }): Exchange {
	const { method = 'GET', ...rest } = seen;
	return { request: { method }, requestId: 'a.b_c-1', status: 200, age: 7.04, ...rest } as Exchange;
}

function fieldsOf(line: string | undefined): Record<string, unknown> {
	expect(line).toMatch(/^[^\n]+\n$/);
	const { time, ...fields } = JSON.parse(line!);
	expect(time).toBeGreaterThan(0);
	return fields;
}

test('When a request is logged, then its line is the one that pino makes of the same fields', () => {
	const { lines, logger, log } = logging();
	const [operation] = operations;
	log(exchangeOf({ operation, accountId: 'acc_1', traceId: 'b7ad6b7169203331', age: 12.345 }));
	const told = {
		request_id: 'a.b_c-1',
		trace_id: 'b7ad6b7169203331',
		method: 'GET',
		operation: operation!.id,
		status: 200,
		ms: 12.3,
		account_id: 'acc_1',
	};
	logger.info(told, 'request');
	expect(lines[0]!.replace(/"time":\d+/, '')).toBe(lines[1]!.replace(/"time":\d+/, ''));
	expect(fieldsOf(lines[0])).toMatchObject({ ...told, level: 30, module: 'gateway', msg: 'request' });
});

test('When nothing but its method is known of a request, then its line leaves the rest out', () => {
	const { lines, log } = logging();
	log(exchangeOf({ status: 404 }));
	expect(Object.keys(fieldsOf(lines[0])).sort()).toEqual(
		['hostname', 'level', 'method', 'module', 'ms', 'msg', 'pid', 'request_id', 'status'].sort(),
	);
});

test.each([499, 500, 503])(
	'When the answer is %i, then the level says whether it is the server that failed',
	(status) => {
		const { lines, log } = logging();
		log(exchangeOf({ status }));
		expect(fieldsOf(lines[0])).toMatchObject({ status, level: status >= 500 ? 40 : 30 });
	},
);

test('When only warnings are logged, then requests that were answered are not', () => {
	const { lines, log } = logging('warn');
	log(exchangeOf({}));
	log(exchangeOf({ status: 503 }));
	expect(lines).toHaveLength(1);
});

test('When a line is made of any method and operation, then it is JSON', () => {
	const { lines, log } = logging();
	for (const method of METHODS) log(exchangeOf({ method }));
	for (const operation of operations) log(exchangeOf({ operation }));
	expect(lines.map((line) => fieldsOf(line)).map(({ method, operation }) => [method, operation])).toEqual([
		...METHODS.map((method) => [method, undefined]),
		...operations.map(({ id }) => ['GET', id]),
	]);
});
