import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { boundedReading } from '../../shared/metrics/backlog-metrics.ts';

describe('a figure that has to be asked for', () => {
	test('When the answer comes, then it is read, and asked for anew the next time', async () => {
		let figure = 0;
		const read = boundedReading(async () => ++figure);
		expect([await read(), await read()]).toEqual([1, 2]);
	});

	test('When two metrics of a scrape read it, then it is asked for once', async () => {
		let asked = 0;
		const read = boundedReading(async () => {
			await turn();
			return ++asked;
		});
		expect(await Promise.all([read(), read()])).toEqual([1, 1]);
	});

	test('When the store does not answer, then scrapes end without it, and it is asked no second time', async () => {
		let asked = 0;
		let answer: (figure: number) => void = () => {};
		const read = boundedReading(() => {
			asked++;
			return new Promise<number>((resolve) => {
				answer = resolve;
			});
		}, 1);
		expect(await read()).toBeUndefined();
		expect(await read()).toBeUndefined();
		expect(asked).toBe(1);
		answer(7);
		await turn();
		expect(await read()).toBeUndefined();
		expect(asked).toBe(2);
	});

	test('When the store fails, then nothing is known, and nothing is thrown', async () => {
		let fails = true;
		const read = boundedReading(async () => {
			if (fails) throw new Error('no primary');
			return 3;
		});
		expect(await read()).toBeUndefined();
		fails = false;
		expect(await read()).toBe(3);
	});
});
