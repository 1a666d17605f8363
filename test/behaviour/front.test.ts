import { describe, expect, test } from '@jest/globals';
import { anonymous } from '../support/shared-product.ts';

const PLACES = { api: '/v1', reference: '/docs', openapi: '/openapi.json', console: '/console' };
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

describe('The address of the server itself', () => {
	test.each([undefined, '*/*', 'application/json'])(
		'When a program asks for / and accepts %s, then it is told where to go, and each place is there',
		async (accept) => {
			const answer = await anonymous().get('/', { headers: accept === undefined ? {} : { accept } });
			expect([answer.status, answer.body]).toEqual([200, { data: PLACES }]);
			expect(answer.headers.vary).toContain('Accept');
			for (const place of [PLACES.reference, PLACES.openapi, PLACES.console]) {
				expect([place, (await anonymous().get(place)).status]).toEqual([place, 200]);
			}
		},
	);

	test('When a browser asks for /, then it is taken to the reference, and the answer has the envelope as well', async () => {
		const answer = await anonymous().get('/', { headers: { accept: BROWSER } });
		expect([answer.status, answer.headers.location, answer.body]).toEqual([302, '/docs', { data: PLACES }]);
		expect(answer.headers.vary).toContain('Accept');
	});
});
