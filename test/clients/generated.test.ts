import { describe, expect, test } from '@jest/globals';
import { pythonApi } from '../../clients/generate/python.ts';
import { clientReference } from '../../clients/generate/reference.ts';
import { typescriptApi } from '../../clients/generate/typescript.ts';
import { read } from '../docs/sources.ts';

describe('what is generated of the clients', () => {
	test('When the table of operations changed, then `npm run generate:clients` is due', async () => {
		expect(await typescriptApi(clientReference())).toBe(read('clients/typescript/src/api.ts'));
		expect(pythonApi(clientReference())).toBe(read('clients/python/src/slotwise/_api.py'));
	});
});
