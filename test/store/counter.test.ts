import { beforeAll, expect, test } from '@jest/globals';
import type { Model } from 'mongoose';
import { Counter, type CounterRow, counterModel } from '../../shared/store/counter.ts';
import { prepareModels } from '../../shared/store/prepare-models.ts';
import { onBothForms } from './stores.ts';

onBothForms('a counter', (open) => {
	let rows: Model<CounterRow>;
	beforeAll(async () => {
		rows = counterModel((await open()).connection, 'counters');
		await prepareModels([rows]);
	});

	test('When numbers are asked for, then they start at 1 and follow each other', async () => {
		const counter = new Counter(rows, 'first');
		expect(await counter.nextIds(1)).toBe(1);
		expect(await counter.nextIds(3)).toBe(2);
		expect(await counter.nextIds(1)).toBe(5);
	});

	test('When 200 callers ask at once, then nobody gets another one’s number, in few increments', async () => {
		let increments = 0;
		const counting = Object.create(rows, {
			findOneAndUpdate: {
				value: (...args: Parameters<typeof rows.findOneAndUpdate>) => {
					increments++;
					return rows.findOneAndUpdate(...args);
				},
			},
		}) as Model<CounterRow>;
		const counter = new Counter(counting, 'many');
		const firsts = await Promise.all(Array.from({ length: 200 }, (_, index) => counter.nextIds(1 + (index % 3))));
		const all = firsts.flatMap((first, index) => Array.from({ length: 1 + (index % 3) }, (_, at) => first + at));
		expect(new Set(all).size).toBe(all.length);
		expect(Math.max(...all)).toBe(all.length);
		expect(increments).toBeLessThanOrEqual(3);
	});

	test('When several processes count at once, and the row is new, then every number is given once', async () => {
		const counters = Array.from({ length: 4 }, () => new Counter(rows, 'shared'));
		const numbers = await Promise.all(counters.flatMap((counter) => [counter.nextIds(1), counter.nextIds(1)]));
		expect(numbers.sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
	});

	test('When an increment fails, then its callers are told and the next ones are served', async () => {
		let broken = true;
		const collection = {
			async findOneAndUpdate(...args: Parameters<typeof rows.collection.findOneAndUpdate>) {
				if (broken) throw new Error('store gone');
				return rows.collection.findOneAndUpdate(...args);
			},
		};
		const failing = Object.create(rows, { collection: { value: collection } }) as Model<CounterRow>;
		const counter = new Counter(failing, 'failing');
		await expect(Promise.all([counter.nextIds(1), counter.nextIds(2)])).rejects.toThrow('store gone');
		broken = false;
		expect(await counter.nextIds(1)).toBe(1);
	});
});
