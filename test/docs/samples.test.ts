import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openapi } from '../../services/gateway/openapi/openapi.ts';
import { operations } from '../../services/gateway/operations/index.ts';
import type { Operation } from '../../services/gateway/operations/operation.ts';
import { until } from '../support/until.ts';
import { describePrinted, printedCalls, ReadersProduct } from './printed.ts';
import { root } from './sources.ts';

interface Parameter {
	name: string;
	in: 'path' | 'query';
	examples?: { default: { value: unknown; 'x-disabled'?: true } };
}
interface Described {
	parameters: Parameter[];
	requestBody?: { content: Record<string, { example: unknown }> };
}

const { paths } = openapi(operations) as { paths: Record<string, Record<string, Described>> };

/** What removes something is tried when everything else was, a service last. */
const removes = ({ id }: Operation) => /^(delete|erase)/.test(id);
const inOrder = [
	...operations.filter((one) => !removes(one)),
	...operations
		.filter(removes)
		.sort((one, other) => Number(one.id === 'deleteService') - Number(other.id === 'deleteService')),
];

/** A request as the reference shows it: with the examples that it fills in */
function sampleOf({ method, path }: Operation): string {
	const { parameters, requestBody } = paths[path]![method.toLowerCase()]!;
	const shown = parameters.filter(({ examples }) => examples !== undefined && !examples.default['x-disabled']);
	const value = ({ examples }: Parameter) => encodeURIComponent(String(examples!.default.value));
	const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => value(shown.find((one) => one.name === name)!));
	const query = shown.filter((one) => one.in === 'query').map((one) => `${one.name}=${value(one)}`);
	const url = `\${API%/v1}${filled}${query.length === 0 ? '' : `?${query.join('&')}`}`;
	const body = requestBody && JSON.stringify(requestBody.content['application/json']!.example);
	const sent = body === undefined ? '' : ` -H "$JSON" -d '${body}'`;
	return `curl -s -X ${method} "${url}" -H "$AUTH"${sent} -w '\\n%{http_code}'`;
}

describePrinted('On an empty Slotwise, the samples of the reference', () => {
	let product: ReadersProduct;
	beforeAll(() => {
		product = new ReadersProduct();
		return product.ready();
	});
	afterAll(() => product?.stop());

	test.each(inOrder.map((operation) => [operation.id, operation] as const))(
		'When %s is tried as it is shown, one after the other, then it succeeds',
		async (_, operation) => {
			const { status } = operation.answer;
			// A delivery is there a moment after what it tells of.
			if (operation.path.includes('{deliveryID}')) await until(async () => (await tried(operation)).status === status);
			else expect(await tried(operation)).toMatchObject({ status });
		},
	);

	async function tried(operation: Operation): Promise<{ status: number; text: string }> {
		const [text, status] = (await product.run(sampleOf(operation))).split(/\n(?=\d+$)/);
		return { status: Number(status), text: text! };
	}
});

describePrinted('On an empty Slotwise, the guides of the reference', () => {
	let product: ReadersProduct;
	beforeAll(() => {
		product = new ReadersProduct();
		return product.ready();
	});
	afterAll(() => product?.stop());

	const calls = ['1-first-booking', '8-calendar'].flatMap((name) =>
		printedCalls(readFileSync(join(root, `services/gateway/pages/guides/${name}.md`), 'utf8')),
	);
	test.each(calls.map(({ command }) => command))('When a reader runs\n%s\nthen it succeeds', async (command) => {
		expect(JSON.parse(await product.run(command))).toMatchObject({ data: expect.anything() });
	});

	test('Each guide that shows calls is tried here', () => {
		expect(calls).toHaveLength(5);
	});
});

describe('The examples of the reference', () => {
	test('They are of the future for as long as possible: no example is of a date that a rule would refuse', () => {
		expect(JSON.stringify(paths)).not.toMatch(/"date":"2026-/);
	});
});
