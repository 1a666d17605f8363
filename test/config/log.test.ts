import { expect, test } from '@jest/globals';
import { describeError } from '../../shared/log/log.ts';

test('A9: When an error carries documents, then the log has its name, code, message and stack only', () => {
	const error = Object.assign(new Error('E11000'), {
		code: 11_000,
		insertedDocs: [{ customer: { email: 'ada@example.com' } }],
	});
	const described = describeError(error) as Record<string, unknown>;
	expect(Object.keys(described)).toEqual(['name', 'message', 'code', 'stack']);
	expect(JSON.stringify(described)).not.toContain('ada@example.com');
});
