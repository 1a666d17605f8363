import type { ServerResponse } from 'node:http';
import { http } from '../../../shared/http/http.ts';

export type AnswerHeaders = Readonly<Record<string, string | number>>;

/** The field in which Node keeps the text of a head until the answer's first bytes go */
interface OwnResponse extends ServerResponse {
	_header?: string | null;
}

/** The first lines of an answer that goes past Node's response, up to the empty line, which is still to come. */
export function headText(status: number, headers: AnswerHeaders): string {
	let text = `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\n`;
	for (const name in headers) text += `${name}: ${headers[name]}\r\n`;
	return text;
}

/** ms that an idle connection is kept: longer than the 60 s of common load balancers, which must close first. */
export const KEEP_ALIVE = 65_000;
/** Of an answer behind which its connection stays open */
export const STAYS_OPEN = `Connection: keep-alive\r\nKeep-Alive: timeout=${KEEP_ALIVE / 1_000}\r\n`;

/**
 * As Node's own `writeHead`, which looks at each name and value for what it means and for characters that would end it:
 * a twentieth of what a GET costs. Here none needs it: each is the product's own, or a client's that Node's parser has
 * looked at and that was compared with what is allowed. Where a connection ends with the answer, or the answer has no length,
 * Node decides how it is told.
 */
export function writeHead(response: OwnResponse, status: number, headers: AnswerHeaders): void {
	const { req, shouldKeepAlive } = response;
	const isUsual = shouldKeepAlive && headers['Content-Length'] !== undefined && req.headers.expect === undefined;
	if (!isUsual || headers.Connection !== undefined || response._header !== null) {
		response.writeHead(status, headers);
		return;
	}
	response.statusCode = status;
	response._header = `${headText(status, headers)}Date: ${dateNow()}\r\n${STAYS_OPEN}\r\n`;
}

/** Of the latest second */
let date = { second: 0, text: '' };

/** RFC 9110 §6.6.1 */
export function dateNow(): string {
	const now = Date.now();
	const second = Math.floor(now / 1_000);
	if (second !== date.second) date = { second, text: new Date(now).toUTCString() };
	return date.text;
}
