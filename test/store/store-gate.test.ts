import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { openStore } from '../../shared/store/open-store.ts';
import type { Store } from '../../shared/store/store.ts';
import { closingOf, StoreGate } from '../../shared/store/store-gate.ts';

let directory: string;
let store: Store;
let gate: StoreGate;
beforeEach(async () => {
	directory = mkdtempSync(join(tmpdir(), 'slotwise-gate-'));
	store = await openStore({ form: 'embedded', dataDir: directory });
	gate = new StoreGate(store.connection, false);
});
afterEach(async () => {
	await store.close();
	rmSync(directory, { recursive: true, force: true });
});

let written = 0;
const write = () => store.connection.collection<{ _id: number }>('anything').insertOne({ _id: ++written });

test('D2: When a store is reopened while its closing waits for an attempt that is under way, then it stays open', async () => {
	const attempt = Promise.withResolvers<void>();
	gate.add({ pause: () => attempt.promise, resume() {} });
	const closed = gate.close(); // whose command was killed: nobody waits for it
	const reopened = gate.reopen();
	attempt.resolve();
	await Promise.all([closed, reopened]);
	expect([gate.isClosed, await closingOf(store.connection)]).toEqual([false, 'open']);
	await write();
});

test('D2: When a closed store is closed once more, then no write passes meanwhile', async () => {
	await gate.close();
	let isOver = false;
	const again = gate.close().finally(() => {
		isOver = true;
	});
	const passed: boolean[] = [];
	while (!isOver) {
		const outcome = write().then(
			() => true,
			() => false,
		);
		passed.push(await outcome);
		await nextTurn();
	}
	await again;
	expect(passed).not.toContain(true);
	await expect(write()).rejects.toThrow('the store is closed');
});

test('D2: When two close a store at once, then neither goes on before the attempt that is under way has ended', async () => {
	const attempt = Promise.withResolvers<void>();
	const order: string[] = [];
	gate.add({ pause: () => attempt.promise, resume() {} });
	const both = ['one', 'two'].map((name) => gate.close().then(() => order.push(name)));
	await nextTurn();
	order.push('attempt');
	attempt.resolve();
	await Promise.all(both);
	expect(order).toEqual(['attempt', 'one', 'two']);
});
