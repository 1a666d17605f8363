import { symbols } from 'pino';
import type { Logger } from '../../../shared/log/log.ts';
import type { Exchange } from './exchange.ts';

/** What a line tells of a request. None of its texts needs escaping: each is the product's own, or was checked. */
interface Line {
	request_id: string;
	trace_id: string | undefined;
	method: string;
	operation: string | undefined;
	status: number;
	ms: number;
	account_id: string | undefined;
}

/** What pino offers to libraries to change how a logger writes */
interface OwnLogger {
	/** The beginning of a line, by its level's number */
	[symbols.lsCacheSym]: Record<number, string>;
	/** Fields that every line of the logger has */
	[symbols.chindingsSym]: string;
	[symbols.asJsonSym]: (this: OwnLogger, line: Line, message: string, level: number, time: string) => string;
}

/**
 * One line per request: what was asked by its operation, never by its URL; no key and no personal data. pino looks at each
 * name and value of a line for what it is and needs, which would be a tenth of what a GET costs: so the text is made here.
 */
export function openRequestLog(parent: Logger): (exchange: Exchange) => void {
	const logger = parent.child({});
	(logger as unknown as OwnLogger)[symbols.asJsonSym] = textOf;
	return ({ request, requestId, traceId, operation, accountId, status, age }) => {
		const line: Line = {
			request_id: requestId,
			trace_id: traceId,
			method: request.method!,
			operation: operation?.id,
			status,
			ms: Math.round(age * 10) / 10,
			account_id: accountId,
		};
		if (status >= 500) logger.warn(line, 'request');
		else logger.info(line, 'request');
	};
}

function textOf(this: OwnLogger, line: Line, message: string, level: number, time: string): string {
	const { request_id, trace_id, method, operation, status, ms, account_id } = line;
	return (
		`${this[symbols.lsCacheSym][level]}${time}${this[symbols.chindingsSym]},"request_id":"${request_id}"${optional('trace_id', trace_id)}` +
		`,"method":"${method}"${optional('operation', operation)},"status":${status},"ms":${ms}` +
		`${optional('account_id', account_id)},"msg":"${message}"}\n`
	);
}

function optional(name: string, value: string | undefined): string {
	return value === undefined ? '' : `,"${name}":"${value}"`;
}
