import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Answer, RequestOptions } from '../support/http-client.ts';
import { anonymous } from '../support/shared-product.ts';

const get = (path: string, headers: RequestOptions['headers'] = {}) => anonymous().get(path, { headers });

describe('The files of the reference', () => {
	let page: Answer;
	let paths: string[];
	beforeAll(async () => {
		page = await get('/docs');
		const linked = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path!);
		paths = ['/docs', ...new Set(linked)];
	});

	test('When the page is read, then it names files of this server only, and no script is in its text', () => {
		expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
		expect(paths.filter((path) => path.endsWith('.js'))).toHaveLength(2);
		for (const path of paths) expect(path).toMatch(/^\/(docs|openapi\.json)/);
		expect(page.text).not.toMatch(/<script(?! src)|<style|\son\w+=/);
	});

	test('When an id is described, then it is a positive integer, without the bound that JSON has', async () => {
		const { text } = await get('/openapi.json');
		expect(text).toContain('{"type":"integer","minimum":1,"description":"Booking"');
		expect(text).not.toContain(String(Number.MAX_SAFE_INTEGER));
	});

	test('When a browser asks what the page may do, then it is no foreign, inline or evaluated script', () => {
		const policy = String(page.headers['content-security-policy']);
		expect(policy).toMatch(/default-src 'none'; script-src 'self'; /);
		expect(policy).toContain("connect-src 'self'");
		expect(policy.replace("style-src 'self' 'unsafe-inline'", '')).not.toMatch(/unsafe|https?:|\*/);
	});

	test('When a client has a file, then it gets 304 without a body; compressed or not, it is the same', async () => {
		for (const path of paths) {
			const plain = await get(path);
			expect([path, plain.status, plain.headers['content-encoding']]).toEqual([path, 200, undefined]);
			const head = await anonymous().request('HEAD', path, { headers: { 'accept-encoding': 'gzip, br' } });
			expect([head.headers['content-encoding'], head.headers.etag]).toEqual(['gzip', plain.headers.etag]);
			expect(Number(head.headers['content-length'])).toBeGreaterThan(0);
			expect(plain.headers.vary).toContain('Accept-Encoding');
			for (const tag of [plain.headers.etag!, `"other", ${plain.headers.etag}`]) {
				const known = await get(path, { 'if-none-match': tag });
				expect([known.status, known.text]).toEqual([304, '']);
			}
			expect((await get(path, { 'if-none-match': '"other"' })).status).toBe(200);
		}
	});

	test('When a browser comes back, then it keeps the renderer and asks for the rest', async () => {
		const renderer = paths.find((path) => /^\/docs\/scalar-\d+\.\d+\.\d+\.js$/.test(path))!;
		expect((await get(renderer)).headers['cache-control']).toBe('public, max-age=31536000, immutable');
		for (const path of paths.filter((one) => one !== renderer)) {
			expect((await get(path)).headers['cache-control']).toBe('private, no-cache');
		}
	});

	test.each([
		['gzip;q=0', undefined],
		['br;q=1.0, gzip;q=0.8', 'gzip'],
		['identity', undefined],
	])('When a client accepts %s, then the content is encoded by %s', async (accepted, encoding) => {
		const answer = await get('/openapi.json', { 'accept-encoding': accepted });
		expect(answer.headers['content-encoding']).toBe(encoding);
	});

	test('When the guides are looked for, then the document has them all, and nothing before them', async () => {
		const { info } = JSON.parse((await get('/openapi.json')).text) as { info: { description: string } };
		const headings = [...info.description.matchAll(/^# (.+)$/gm)].map(([, heading]) => heading);
		expect(info.description).toMatch(/^# /);
		const guides = [
			'Introduction',
			'First booking',
			'Capacity',
			'Idempotency',
			'Versions',
			'Limits',
			'Webhooks',
			'Errors',
			'Calendar feeds',
		];
		expect(headings).toEqual(guides);
	});
});
