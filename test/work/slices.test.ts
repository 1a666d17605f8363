import { expect, test } from '@jest/globals';
import { Slices } from '../../shared/work/long-work.ts';
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

test('When a read is made of many short pieces, then the event loop has its turn between them', async () => {
	let turns = 0;
	let goesOn = true;
	const turn = () => {
		turns++;
		if (goesOn) setImmediate(turn);
	};
	setImmediate(turn);
	const reading = new Reading('acc_1', { remaining: () => 60_000 });
	await reading.run(async () => {
		for (let count = 0; count < PIECES; count++) await piece();
	});
	goesOn = false;
	expect(turns).toBeGreaterThan(PIECES / 10);
});

test('When work is short, then it is never asked to wait', () => {
	const reading = new Reading('acc_1', { remaining: () => 60_000 });
	reading.run(() => {
		const slices = new Slices();
		expect(slices.isUsedUp).toBe(false);
		slices.end();
	});
});
