import { expect, test } from '@jest/globals';
import { SharedReads } from '../../shared/engine/shared-reads.ts';
import { keyOf } from '../support/account-keys.ts';

/** What was read, by how often it was. */
function counting() {
	const reads = new SharedReads<string>();
	let count = 0;
	const ask = (key: string) => reads.ask(keyOf(key), async () => `${key}${++count}`);
	return { reads, ask };
}

test('When the same is asked for in one turn, then it is read once; another thing is read on its own', async () => {
	const { ask } = counting();
	expect(await Promise.all([ask('a'), ask('b'), ask('a')])).toEqual(['a1', 'b2', 'a1']);
});

test('When it is asked for while it is being read, then it is read again: an answer is not older than its question', async () => {
	const reads = new SharedReads<number>();
	let later: Promise<number> | undefined;
	const first = reads.ask(keyOf('a'), async () => {
		later = reads.ask(keyOf('a'), async () => 2);
		return 1;
	});
	expect(await first).toBe(1);
	expect(await later).toBe(2);
});

test('When a read fails, then all who share it hear so, and the next one is read', async () => {
	const { reads, ask } = counting();
	const fail = async () => {
		throw new Error('away');
	};
	const asked = await Promise.allSettled([reads.ask(keyOf('a'), fail), ask('a')]);
	expect(asked.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
	expect(await ask('a')).toBe('a1');
});

test('When who shares an answer tries to change it, or a list in it, then that fails', async () => {
	const reads = new SharedReads<{ rows: number[]; total: number }>();
	const answer = await reads.ask(keyOf('a'), async () => ({ rows: [1], total: 1 }));
	expect(() => answer.rows.push(2)).toThrow(TypeError);
	expect(() => Object.assign(answer, { total: 2 })).toThrow(TypeError);
});
