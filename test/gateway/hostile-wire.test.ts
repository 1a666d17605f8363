import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { expectEnvelope } from '../support/expectations.ts';
import { sendRaw } from '../support/raw-http.ts';
import { revealed } from './hostile/reveals.ts';
import { fill } from './hostile/values.ts';
import { exampleBackend } from './support/examples.ts';
import { startGateway, type TestGateway } from './support/start-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
	gateway = await startGateway({ backend: exampleBackend });
});
afterAll(() => gateway.stop());
beforeEach(() => {
	gateway.calls.length = 0;
});

/** What a proxy before the gateway may take for a part of the body. */
const SMUGGLED = 'DELETE /v1/services/3 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer KEY\r\n\r\n';
const CREATE =
	'POST /v1/services HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer KEY\r\nContent-Type: application/json\r\n';
const GET = 'GET /v1/services HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer KEY\r\nConnection: close\r\n';
const OVERRIDES = 'X-Forwarded-Host: e\r\nX-Original-URL: /v1/bookings\r\nX-HTTP-Method-Override: DELETE\r\n';
const chunked = `5\r\nhello\r\n0\r\n\r\n${SMUGGLED}`;

/** Requests of which two programs may see different ends, or different headers (RFC 9112 §11.2). */
const smuggling: [string, string][] = [
	['a length and chunks', `${CREATE}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`],
	['chunks and a length', `${CREATE}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n${chunked}`],
	['two lengths', `${CREATE}Content-Length: 0\r\nContent-Length: 90\r\n\r\n${SMUGGLED}`],
	['two lengths that agree', `${CREATE}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}${SMUGGLED}`],
	['a list of lengths', `${CREATE}Content-Length: 2, 2\r\n\r\n{}${SMUGGLED}`],
	['a length with a sign', `${CREATE}Content-Length: +2\r\n\r\n{}${SMUGGLED}`],
	['a negative length', `${CREATE}Content-Length: -2\r\n\r\n{}${SMUGGLED}`],
	['a length in hexadecimal', `${CREATE}Content-Length: 0x2\r\n\r\n{}${SMUGGLED}`],
	['a length beyond 64 bits', `${CREATE}Content-Length: ${fill('9', 40)}\r\n\r\n{}${SMUGGLED}`],
	['an unknown coding', `${CREATE}Transfer-Encoding: xchunked\r\n\r\n${chunked}`],
	['chunked before another coding', `${CREATE}Transfer-Encoding: chunked, identity\r\n\r\n${chunked}`],
	['two codings', `${CREATE}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n${chunked}`],
	['a blank before the colon', `${CREATE}Transfer-Encoding : chunked\r\n\r\n${chunked}`],
	['a tab before the colon', `${CREATE}Content-Length\t: 2\r\n\r\n{}${SMUGGLED}`],
	['a vertical tab in a value', `${CREATE}Transfer-Encoding: \x0bchunked\r\n\r\n${chunked}`],
	['a folded line', `${CREATE}X-Fold: a\r\n Content-Length: 2\r\n\r\n${SMUGGLED}`],
	['a folded coding', `${CREATE}Transfer-Encoding:\r\n chunked\r\n\r\n${chunked}`],
	['a leading blank', `POST /v1/services HTTP/1.1\r\n Host: x\r\n\r\n${SMUGGLED}`],
	['a lone LF between headers', `${CREATE}X-A: a\nContent-Length: 0\r\n\r\n${SMUGGLED}`],
	['lone LFs only', `${CREATE.replaceAll('\r\n', '\n')}Content-Length: 2\n\n{}${SMUGGLED}`],
	['a lone CR in a value', `${CREATE}X-A: a\rContent-Length: 0\r\n\r\n${SMUGGLED}`],
	['NUL in a value', `${CREATE}X-A: a\0b\r\nContent-Length: 0\r\n\r\n${SMUGGLED}`],
	['NUL in a name', `${CREATE}X\0A: a\r\nContent-Length: 0\r\n\r\n${SMUGGLED}`],
	['an empty name', `${CREATE}: a\r\nContent-Length: 0\r\n\r\n${SMUGGLED}`],
	['a line without a colon', `${CREATE}Content-Length\r\n\r\n${SMUGGLED}`],
	['an overflowing chunk', `${CREATE}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}${SMUGGLED}`],
	['a negative chunk', `${CREATE}Transfer-Encoding: chunked\r\n\r\n-1\r\n{}${SMUGGLED}`],
	['a chunk in 0x', `${CREATE}Transfer-Encoding: chunked\r\n\r\n0x2\r\n{}\r\n0\r\n\r\n${SMUGGLED}`],
	['a chunk that is longer than it says', `${CREATE}Transfer-Encoding: chunked\r\n\r\n1\r\n{}\r\n0\r\n\r\n${SMUGGLED}`],
	['a chunk after a lone LF', `${CREATE}Transfer-Encoding: chunked\r\n\r\n2\n{}\n0\n\n${SMUGGLED}`],
	['a long chunk extension', `${CREATE}Transfer-Encoding: chunked\r\n\r\n2;${fill('a', 20_000)}\r\n{}${SMUGGLED}`],
	['a length in HTTP/1.0 chunks', `${CREATE.replace('1.1', '1.0')}Transfer-Encoding: chunked\r\n\r\n${chunked}`],
];

/** What is no HTTP/1.1, or none that is served here. */
const broken: [string, string][] = [
	['nothing but line ends', '\r\n\r\n\r\n\r\n\r\nx\r\n\r\n'],
	['HTTP/0.9', 'GET /v1/services\r\n\r\n'],
	['HTTP/2 at once', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
	['two hosts', `${GET}hOST: y\r\n\r\n`],
	['two hosts of HTTP/1.0', `${GET.replace('/1.1', '/1.0')}Host: x\r\n\r\n`],
	['two hosts in one line', `${GET.replace('Host: x', 'Host: x, y')}\r\n`],
	['a path in the host', `${GET.replace('Host: x', 'Host: x/../y')}\r\n`],
	['HTTP/1.2', 'GET /v1/services HTTP/1.2\r\nHost: x\r\n\r\n'],
	['HTTP/9.9', 'GET /v1/services HTTP/9.9\r\nHost: x\r\n\r\n'],
	['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
	['an RTSP request', 'DESCRIBE rtsp://x/ RTSP/1.0\r\n\r\n'],
	['two blanks in the request line', 'GET  /v1/services HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
	['a tab in the request line', 'GET\t/v1/services\tHTTP/1.1\r\nHost: x\r\n\r\n'],
	['a blank in the target', 'GET /v1/ser vices HTTP/1.1\r\nHost: x\r\n\r\n'],
	['NUL in the target', 'GET /v1/services\0 HTTP/1.1\r\nHost: x\r\n\r\n'],
	['a method in lower case', 'get /v1/services HTTP/1.1\r\nHost: x\r\n\r\n'],
	['a method of 10,000 letters', `${fill('G', 10_000)} / HTTP/1.1\r\nHost: x\r\n\r\n`],
	['an authority for a target', 'GET example.com:443 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
	['an asterisk for a target', 'GET * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
	['another scheme', 'GET file:///etc/passwd HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
	['a path upwards', 'GET /v1/../../etc/passwd HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
	[
		'a path upwards, encoded',
		'GET /docs/%2e%2e%2f%2e%2e%2fpackage.json HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
	],
	['bytes above 127 in the target', 'GET /v1/\xc0\xaf HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
	['a target of 20,000 characters', `GET /${fill('a', 20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
	['a target of 15,000 slashes', `GET ${fill('/', 15_000)} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`],
	['a tunnel', 'CONNECT 169.254.169.254:80 HTTP/1.1\r\nHost: x\r\n\r\n'],
	['TRACE', 'TRACE /v1/services HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
	['5,000 short headers', `GET /v1/services HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${fill('a:\r\n', 20_000)}\r\n`],
	['one header without end', `GET /v1/services HTTP/1.1\r\nHost: x\r\nX-A: ${fill('a', 20_000)}`],
];

const raw = (bytes: string) => bytes.replaceAll('KEY', gateway.client.key!);

/** Answers in what came back over one connection. */
const answersIn = (text: string) => text.split('HTTP/1.1 ').length - 1;

describe('A6: When a request has two readings, then it is refused once, and nothing hidden in it runs', () => {
	test.each(smuggling)('%s', async (_, bytes) => {
		const { status, head, body } = await sendRaw(gateway.url, raw(bytes));
		expect([0, 400, 413, 415]).toContain(status); // 0: closed without an answer
		expect(answersIn(head + body)).toBeLessThanOrEqual(1);
		if (status !== 0) expectEnvelope({ status, body: JSON.parse(body) });
		expect(revealed(body)).toBeUndefined();
		expect(gateway.calls.map(({ action }) => action).filter((action) => action !== 'accounts.verifyKey')).toEqual([]);
	});
});

describe('A8: When the bytes are no request, then 4xx in the envelope, or the connection is closed', () => {
	test.each(broken)('%s', async (_, bytes) => {
		const { status, head, body } = await sendRaw(gateway.url, raw(bytes));
		expect([0, 400, 401, 404, 405, 431]).toContain(status);
		expect(answersIn(head + body)).toBeLessThanOrEqual(1);
		if (status !== 0) {
			expectEnvelope({ status, body: JSON.parse(body) });
			expect(Date.parse(/^Date: (.*)$/m.exec(head)?.[1] ?? '')).toBeGreaterThan(Date.now() - 60_000); // RFC 9110 §6.6.1
		}
		expect(revealed(body)).toBeUndefined();
		expect(gateway.calls).toEqual([]);
	});
});

describe('A8: When headers are odd but readable, then they change nothing', () => {
	test.each([
		['90 of them', `${GET}${fill('a:\r\n', 360)}\r\n`],
		['a host of another', `${GET.replace('Host: x', 'Host: evil.example')}\r\n`],
		['an absolute target', `${GET.replace('/v1/services', 'http://evil.example/v1/services')}\r\n`],
		['X-Forwarded-Host, X-Original-URL, X-HTTP-Method-Override', `${GET}${OVERRIDES}\r\n`],
		['an upgrade', `${GET.replace('close', 'upgrade, close')}Upgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n`],
		['names like parts of every object', `${GET}__proto__: 1\r\nconstructor: 1\r\nhasOwnProperty: 1\r\n\r\n`],
	])('%s', async (_, bytes) => {
		const { status } = await sendRaw(gateway.url, raw(bytes));
		expect(status).toBe(200);
		expect(gateway.calls.map(({ action }) => action)).toContain('catalog.listServices');
	});
});

test('X6: When there are more than 100 headers, then 431, for each costs more than its bytes', async () => {
	const { status, body } = await sendRaw(gateway.url, `${GET}${'a:b\r\n'.repeat(3_000)}\r\n`);
	expect([status, body]).toEqual([431, '{"error":"request headers are too large","code":"headers_too_large"}']);
});
