import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { Slices, underWay } from '../../shared/work/long-work.ts';
import { Reading } from '../../shared/work/reading.ts';

/** ms, and how many of them there are: together far more than a slice, each alone far less */
const PIECE = 0.1;
const PIECES = 200;

function workFor(ms: number): void {
	for (const end = performance.now() + ms; performance.now() < end; );
}

async function piece(): Promise<void> {
	const slices = new Slices();
	workFor(PIECE);
	if (slices.isUsedUp) await slices.next();
	slices.end();
}

/** Turns that the event loop has while a read is made of many pieces. @param act is done in each of them */
async function turnsDuring(act: () => Promise<void>): Promise<number> {
	let turns = 0;
	let goesOn = true;
	const others = (async () => {
		for (; goesOn; turns++) {
			await turn();
			await act();
		}
	})();
	const reading = new Reading('acc_1', { remaining: () => 60_000 });
	await reading.run(async () => {
		for (let count = 0; count < PIECES; count++) await piece();
	});
	goesOn = false;
	await others;
	return turns;
}

test('When a read is made of many short pieces, then the event loop has its turn between them', async () => {
	expect(await turnsDuring(async () => {})).toBeGreaterThan(PIECES / 10);
});

test('When short requests follow each other, then long work rests between its slices, also while none is under way', async () => {
	const alone = await turnsDuring(async () => {});
	const beside = await turnsDuring(() => underWay(undefined, async () => {}));
	expect(beside).toBeGreaterThan(5 * alone);
});

test('When work is short, then it is never asked to wait', () => {
	const reading = new Reading('acc_1', { remaining: () => 60_000 });
	reading.run(() => {
		const slices = new Slices();
		expect(slices.isUsedUp).toBe(false);
		slices.end();
	});
});
