import { beforeAll, expect, test } from '@jest/globals';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { openapi } from '../../services/gateway/openapi/openapi.ts';
import { operations } from '../../services/gateway/operations/index.ts';

let text: string;
beforeAll(() => {
	text = JSON.stringify(openapi(operations));
});

const lint = async (document: string) => {
	// Rules of the tool's own, and its judgement of every example. We have a licence, but no web page for it.
	const config = await createConfig({
		extends: ['recommended-strict'],
		rules: {
			'info-license-url': 'off',
			'no-invalid-media-type-examples': 'error',
			'no-invalid-parameter-examples': 'error',
		},
	});
	const problems = await lintFromString({ source: document, config });
	return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`);
};

const bySchema = async (document: string) => {
	const { valid, errors } = await new Validator().validate(JSON.parse(document));
	return valid ? [] : errors;
};

test('When the document is judged by the official schema of OpenAPI 3.1, then it is valid', async () => {
	expect(await bySchema(text)).toEqual([]);
});

test('When the document and its examples are judged by the rules of a linter, then it finds nothing', async () => {
	expect(await lint(text)).toEqual([]);
});

test('When a document is broken, then both judges say so', async () => {
	const broken = text.replace('"in":"path"', '"in":"nowhere"');
	expect(await bySchema(broken)).not.toEqual([]);
	expect(await lint(broken)).not.toEqual([]);
	expect(await lint(text.replace('"date":"2027-01-04"', '"date":7'))).not.toEqual([]);
});
