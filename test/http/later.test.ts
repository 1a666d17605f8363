import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { Later } from '../../shared/http/later.ts';

test('When much is given to it, then a few are carried out in each turn, in the order in which they came', async () => {
	const later = new Later(3);
	const done: number[] = [];
	for (let number = 0; number < 8; number++) later.add(() => done.push(number));
	const turns: number[] = [];
	while (done.length < 8) {
		await turn();
		turns.push(done.length);
	}
	expect(turns).toEqual([3, 6, 8]);
	expect(done).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});

test('When what is carried out gives it more, then that waits for another turn', async () => {
	const later = new Later(3);
	let done = 0;
	const again = () => {
		done++;
		if (done < 7) later.add(again);
	};
	for (let count = 0; count < 3; count++) later.add(again);
	await turn();
	expect(done).toBe(3);
	await turn();
	expect(done).toBe(6);
});
