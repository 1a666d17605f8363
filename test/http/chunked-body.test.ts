import { expect, test } from '@jest/globals';
import { ChunkedBody } from '../../shared/http/chunked-body.ts';

const NEXT = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

test.each([
	['nothing', '0\r\n\r\n'],
	['a chunk', '5\r\nhello\r\n0\r\n\r\n'],
	['a size of several digits', `1A\r\n${'x'.repeat(26)}\r\n0\r\n\r\n`],
	['a size with zeros before it', '005\r\nhello\r\n000\r\n\r\n'],
	['what looks like its end', '10\r\n\r\n0\r\n\r\n012345678\r\n5\r\n0\r\n\r\n\r\n0\r\n\r\n'],
	['extensions, whose digits are no size', '5;a=1;b="2"\r\nhello\r\n0;fff\r\n\r\n'],
	['trailers', '5\r\nhello\r\n0\r\nX-A: 1\r\nX-B: 2\r\n\r\n'],
])('X6: When a body in chunks has %s, then its end is told, wherever it is cut', (_, body) => {
	const bytes = Buffer.from(`${body}${NEXT}`);
	for (let cut = 0; cut < body.length; cut++) {
		const chunked = new ChunkedBody();
		expect(chunked.lengthIn(bytes.subarray(0, cut))).toBe(cut);
		expect(chunked.lengthIn(bytes.subarray(cut))).toBe(body.length - cut);
	}
	const slow = new ChunkedBody();
	const lengths = Array.from({ length: body.length }, (__, at) => slow.lengthIn(bytes.subarray(at, at + 1)));
	expect(new Set(lengths)).toEqual(new Set([1]));
});
