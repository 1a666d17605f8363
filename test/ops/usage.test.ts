import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { monthOf } from '../../shared/calendar/plain-date.ts';
import { Client } from '../support/http-client.ts';
import { type Product, startProduct } from '../support/product.ts';
import { book, slotOn } from '../support/scheduling.ts';
import { until } from '../support/until.ts';
import { ops } from './ops.ts';

let product: Product;
let account: string;
const usage = (...words: string[]) => ops(join(product.directory, 'data'), 'usage', ...words);

beforeAll(async () => {
	product = await startProduct({ form: 'embedded', keys: { Starter: 1 } });
	const client = new Client(product.urls, product.keys.Starter[0]);
	const place = await slotOn(client); // two requests
	await book(client, place);
	account = place.service.provider_id;
});
afterAll(() => product?.stop());

test('When an account has used some of its plan, then `usage` shows it against the limits, within a second or so', async () => {
	await until(async () => JSON.parse((await usage(account, '--json')).stdout).requests.used === 3);
	const { code, stdout } = await usage(account);
	expect(code).toBe(0);
	expect(stdout).toContain(`Account ${account} in ${monthOf(Date.now())}, which ends at `);
	expect(stdout).toContain('package Starter, without overages, as it is now\n');
	const rows = stdout.split('\n').map((line) => line.trim().split(/\s{2,}/));
	expect(rows).toContainEqual(['requests', '3', '10000', '9997', '0', 'too early']);
	expect(rows).toContainEqual(['bookings', '1', '1000', '999', '0', 'too early']);
	expect(rows).toContainEqual(['services now', '1', '5', '4']);
});

test('When another month is asked for, then it is that month’s', async () => {
	const { stdout } = await usage(account, '--month', '2020-02', '--json');
	expect(JSON.parse(stdout)).toMatchObject({
		month: '2020-02',
		resets_at: '2020-03-01T00:00:00.000Z',
		requests: { used: 0, projected: 0 },
	});
});

test.each([
	['acc_nobody', 'There is no account acc_nobody.'],
	['acc_nobody --month 2026-13', '--month must be a month such as 2026-11, not "2026-13".'],
	['7', 'account must be an account’s id such as acc_demo, not "7".'],
])('When `usage %s` is asked for, then one sentence says what is wrong', async (line, sentence) => {
	expect(await usage(...line.split(' '))).toEqual({ code: 2, stdout: '', stderr: `${sentence}\n` });
});
